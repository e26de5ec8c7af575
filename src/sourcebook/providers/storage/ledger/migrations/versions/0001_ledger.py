"""The first ledger: collections, documents, field values, chunks and the embedding cache."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "collections",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=512), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("index_id", sa.String(length=64), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("model_revision", sa.Text(), nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("document_count", sa.Integer(), nullable=False),
        sa.Column("created_at_s", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collections")),
        sa.UniqueConstraint("name", name=op.f("uq_collections_name")),
    )
    op.create_table(
        "embedding_cache",
        sa.Column("text_hash", sa.String(length=64), nullable=False),
        sa.Column("model_revision", sa.String(length=128), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("text_hash", "model_revision", name=op.f("pk_embedding_cache")),
    )
    op.create_table(
        "pending_writes",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("index_id", sa.String(length=64), nullable=False),
        sa.Column("point_ids", sa.JSON(), nullable=False),
        sa.Column("announced_at_s", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pending_writes")),
    )
    op.create_table(
        "retired_indexes",
        sa.Column("index_id", sa.String(length=64), nullable=False),
        sa.Column("retired_at_s", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("index_id", name=op.f("pk_retired_indexes")),
    )
    op.create_table(
        "chunks",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("collection_id", sa.String(length=32), nullable=False),
        sa.Column("document_id", sa.String(length=512), nullable=False),
        sa.Column("chunk_id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("vectors", sa.Integer(), nullable=False),
        sa.Column("born", sa.Integer(), nullable=False),
        sa.Column("died", sa.Integer(), nullable=True),
        sa.Column("died_at_s", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.id"],
            name=op.f("fk_chunks_collection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_chunks")),
        sa.UniqueConstraint("chunk_id", "version", name=op.f("uq_chunks_chunk_id_version")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_chunks_died_at_s"), "chunks", ["died_at_s"], unique=False)
    op.create_index("ix_chunks_document", "chunks", ["collection_id", "document_id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("collection_id", sa.String(length=32), nullable=False),
        sa.Column("id", sa.String(length=512), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("created_at_s", sa.Double(), nullable=False),
        sa.Column("updated_at_s", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.id"],
            name=op.f("fk_documents_collection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_documents")),
        sa.UniqueConstraint("collection_id", "id", name=op.f("uq_documents_collection_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "document_fields",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("document_key", KEY, nullable=False),
        sa.Column("collection_id", sa.String(length=32), nullable=False),
        sa.Column("field", sa.String(length=256), nullable=False),
        sa.Column("kind", sa.String(length=1), nullable=False),
        sa.Column("in_list", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("lookup", sa.String(length=256), nullable=False),
        sa.Column("number", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.id"],
            name=op.f("fk_document_fields_collection_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["document_key"],
            ["documents.key"],
            name=op.f("fk_document_fields_document_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_document_fields")),
    )
    op.create_index(
        op.f("ix_document_fields_document_key"), "document_fields", ["document_key"], unique=False
    )
    op.create_index(
        "ix_document_fields_lookup",
        "document_fields",
        ["collection_id", "field", "lookup"],
        unique=False,
    )
    op.create_index(
        "ix_document_fields_number",
        "document_fields",
        ["collection_id", "field", "number"],
        unique=False,
    )
