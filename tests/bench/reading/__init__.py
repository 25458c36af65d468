"""Lists read by hand, to put the adapters beside."""
