"""SQL of the criteria and of the results; derived rows are rewritten, never edited."""
