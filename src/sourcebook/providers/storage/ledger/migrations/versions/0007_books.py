"""Which files of a book are lessons, kept with the book and named in its jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now only the settings of a process said it."""
    op.create_table(
        "books",
        sa.Column("collection", sa.String(length=512), nullable=False),
        sa.Column("book_id", sa.String(length=512), nullable=False),
        sa.Column("patterns", sa.JSON(), nullable=False),
        sa.Column("exclude", sa.JSON(), nullable=False),
        sa.Column("automatic", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("chosen_at_s", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("collection", "book_id", name=op.f("pk_books")),
    )
    op.add_column("jobs", sa.Column("patterns", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("jobs", sa.Column("exclude", sa.JSON(none_as_null=True), nullable=True))
