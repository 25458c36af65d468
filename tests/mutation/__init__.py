"""Mutation testing of the rules: a change to a decision that no test notices is a decision that no test holds."""
