"""`gonggo`: commands that parse their arguments, call the same actions as the API, and print."""

from daemon.cli.entry import main

__all__ = ["main"]
