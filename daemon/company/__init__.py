"""Companies, their aliases and the job sources that are followed."""
