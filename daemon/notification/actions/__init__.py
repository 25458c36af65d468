"""The day's messages: what is due, sent once, and what a person sees of it."""
