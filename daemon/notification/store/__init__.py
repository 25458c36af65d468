"""SQL of notifications: the outbox and its history, digests, webhooks."""
