"""Feature flags, switched at run time."""
