"""The person's criteria, and how each posting fares against them."""
