"""What changes the criteria, and what judges the stored postings by them; no site is ever asked."""
