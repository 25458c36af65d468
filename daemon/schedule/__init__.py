"""The KST timetable and the ledger of daily jobs."""
