"""When remembered vectors were last used, so that those that nothing needs can be deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now the vectors of every text were kept for ever, of deleted ones too."""
    op.add_column(
        "embedding_cache",
        sa.Column("used_at_s", sa.Double(), server_default="0", nullable=False),
    )
    op.create_index(op.f("ix_chunks_text_hash"), "chunks", ["text_hash"])
