"""Decisions of the collection engine. Pure: `now` is an argument."""
