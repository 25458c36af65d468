"""Fuzzing: whatever a site sends and whatever a text says, parsers and normalisers give an outcome, soon and small.

`seeds` are answers that were once right, `trees`, `markup` and `octets` break them, `parsers` and `normalisers` are
what is fuzzed and what must hold of it, `campaign` runs many inputs in two processes, `corpus/` keeps every input that
ever failed. Input `index` of a run is made from (run's seed, name, index) alone, so each can be made again.
"""
