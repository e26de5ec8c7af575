"""Indexes that belong to no collection and stay all the same."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now every unknown index was dropped."""
    op.create_table(
        "kept_indexes",
        sa.Column("index_id", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("index_id", name=op.f("pk_kept_indexes")),
    )
