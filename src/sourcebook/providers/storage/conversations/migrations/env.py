"""Runs the migrations of conversations, which have a version table of their own."""

from alembic import context

from sourcebook.providers.storage.conversations.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
