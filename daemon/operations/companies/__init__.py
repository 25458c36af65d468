"""Views of companies and of searches on aggregators, with the health of what is collected."""
