"""SQL of the views of postings; reads only. A list is read in two steps: the ids of a page, then all about these."""
