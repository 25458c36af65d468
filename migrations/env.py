"""Alembic's environment: runs the revisions on the connection that `daemon.schema` opened, locked and handed over."""

from alembic import context

context.configure(**context.config.attributes["configure"])
with context.begin_transaction():
    context.run_migrations(change=context.config.attributes["change"])
