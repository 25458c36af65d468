"""What was sent to the person, once each."""
