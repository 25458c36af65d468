"""The person's applications, their history and interviews."""
