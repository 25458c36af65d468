"""The demo world: nine job sites on loopback, whose postings follow a script over several Korean days.

`world/` decides what each site lists on which day and what a perfect collector finds there; `sites/` says it in each
site's own shape; `replica.py` serves it; `request_log.py` remembers who asked for what, and when. The replica is an
implementation of the *sites* and imports nothing of the adapters, so that neither can cover for the other's mistake.
Used by `gonggo demo`, by tests and by benchmarks.
"""
