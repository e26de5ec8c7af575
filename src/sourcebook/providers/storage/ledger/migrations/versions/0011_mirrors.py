"""What an index in memory needs: the terms of chunks, and what came after a revision."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now the embedded index was a second store on the disk."""
    op.add_column(
        "collections", sa.Column("swept", sa.Integer(), server_default="0", nullable=False)
    )
    op.create_index("ix_chunks_born", "chunks", ["collection_id", "born", "key"])
    op.create_index("ix_chunks_died", "chunks", ["collection_id", "died"])
    op.create_table(
        "chunk_terms",
        sa.Column(
            "chunk_key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("encoder", sa.String(length=64), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_key"],
            ["chunks.key"],
            name=op.f("fk_chunk_terms_chunk_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("chunk_key", "encoder", name=op.f("pk_chunk_terms")),
    )
