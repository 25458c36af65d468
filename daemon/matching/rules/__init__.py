"""Pure decisions: what a keyword is, which titles it is in, what a text says of the work arrangement."""
