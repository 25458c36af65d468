"""Read-only views of postings with what the other contexts know of them."""
