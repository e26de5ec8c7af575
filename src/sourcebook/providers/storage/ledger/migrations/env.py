"""Runs the ledger's migrations on the connection that the ledger passes in."""

from alembic import context

from sourcebook.providers.storage.ledger.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
