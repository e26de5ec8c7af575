"""The table of spec 004. Where it exists already, it stays as it is, with its rows."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

INDEXES: dict[str, list[str | sa.TextClause]] = {
    "idx_conversations_session_id": ["session_id"],
    "idx_conversations_session_created": ["session_id", sa.text("created_at DESC")],
}


def upgrade() -> None:
    """Create what is missing."""
    connection = op.get_bind()
    if not sa.inspect(connection).has_table("conversations"):
        _create_table(on_postgres=connection.dialect.name == "postgresql")
    there = {index["name"] for index in sa.inspect(connection).get_indexes("conversations")}
    for name, columns in INDEXES.items():
        if name not in there:
            op.create_index(name, "conversations", columns)


def _create_table(*, on_postgres: bool) -> None:
    op.create_table(
        "conversations",
        sa.Column(
            "id",
            sa.Uuid(),
            server_default=sa.text("gen_random_uuid()") if on_postgres else None,
            nullable=False,
        ),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("sources", postgresql.JSONB() if on_postgres else sa.JSON(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("selected_text", sa.Text(), nullable=True),
        sa.Column("chunks_retrieved", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Double(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False
        ),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
    )
