"""Large loads of documents as jobs of their own kind, with their items."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Until now every job was of a book."""
    op.add_column(
        "jobs", sa.Column("kind", sa.String(length=16), server_default="book", nullable=False)
    )
    op.create_table(
        "load_items",
        sa.Column("job_id", KEY, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=True),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_load_items_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "position", name=op.f("pk_load_items")),
    )
    op.create_index(
        "ix_load_items_status", "load_items", ["job_id", "status", "position"], unique=False
    )
