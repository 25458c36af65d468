"""The person's calendar: deadlines of postings that concern them, and interviews."""
