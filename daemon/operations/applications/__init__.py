"""Read-only views of applications, with the names of their postings and companies."""
