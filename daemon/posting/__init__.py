"""Postings as they were found, their text and tags, and which of them are one and the same."""
