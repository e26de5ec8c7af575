"""Jobs, chunks that know their place and their neighbours, and collections that are replaced."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the columns, with values that are right for what is there, and create the tables."""
    op.add_column(
        "collections",
        sa.Column("state", sa.String(length=16), server_default="live", nullable=False),
    )
    op.add_column("collections", sa.Column("retired_at_s", sa.Double(), nullable=True))
    op.add_column("chunks", sa.Column("extent", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("chunks", sa.Column("previous_id", sa.String(length=36), nullable=True))
    op.add_column("chunks", sa.Column("next_id", sa.String(length=36), nullable=True))
    # Until now every document was one chunk.
    op.add_column("chunks", sa.Column("total", sa.Integer(), server_default="1", nullable=False))
    op.create_table(
        "jobs",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("book_id", sa.String(length=512), nullable=False),
        sa.Column("mode", sa.String(length=16), nullable=False),
        sa.Column("docs_path", sa.Text(), nullable=True),
        sa.Column("force", sa.Boolean(), nullable=False),
        sa.Column("triggered_by", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("token", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at_s", sa.Double(), nullable=False),
        sa.Column("started_at_s", sa.Double(), nullable=True),
        sa.Column("finished_at_s", sa.Double(), nullable=True),
        sa.Column("lease_until_s", sa.Double(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("commit_id", sa.Text(), nullable=True),
        sa.Column("building", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_book_id_id", "jobs", ["book_id", "id"], unique=False)
    op.create_index("ix_jobs_status_id", "jobs", ["status", "id"], unique=False)
    for status in ("queued", "running"):
        only = sa.text(f"status = '{status}'")
        op.create_index(
            f"uq_jobs_{status}",
            "jobs",
            ["book_id"],
            unique=True,
            sqlite_where=only,
            postgresql_where=only,
        )
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.String(length=128), nullable=False),
        sa.Column("received_at_s", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
    )
    op.create_index(
        op.f("ix_webhook_deliveries_received_at_s"),
        "webhook_deliveries",
        ["received_at_s"],
        unique=False,
    )
