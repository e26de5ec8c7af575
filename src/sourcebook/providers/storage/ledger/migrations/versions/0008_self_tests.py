"""The questions that a book is tested with after every run, and what became of them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now nobody knew when a lesson could no longer be found."""
    op.create_table(
        "self_tests",
        sa.Column("collection", sa.String(length=512), nullable=False),
        sa.Column("book_id", sa.String(length=512), nullable=False),
        sa.Column("book_state", sa.String(length=64), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("probes", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("collection", "book_id", name=op.f("pk_self_tests")),
    )
    op.add_column("jobs", sa.Column("self_test", sa.JSON(none_as_null=True), nullable=True))
