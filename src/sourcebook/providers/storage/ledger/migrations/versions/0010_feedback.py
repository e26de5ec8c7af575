"""Questions that were not answered, and readers' marks, where the operator keeps them."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now an author could not see what the book lacks."""
    op.create_table(
        "unanswered_questions",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("book_id", sa.String(length=512), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("first_asked_at_s", sa.Double(), nullable=False),
        sa.Column("last_asked_at_s", sa.Double(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("closest", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_unanswered_questions")),
    )
    op.create_index(
        op.f("ix_unanswered_questions_last_asked_at_s"), "unanswered_questions", ["last_asked_at_s"]
    )
    op.create_table(
        "marks",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("about", sa.String(length=16), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("marked_at_s", sa.Double(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("sources", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_marks")),
    )
    op.create_index(op.f("ix_marks_marked_at_s"), "marks", ["marked_at_s"])
