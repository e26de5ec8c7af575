"""The tables of the ledger, and where their migrations are."""

from pathlib import Path

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from sourcebook.providers.storage.migration import Migrations

MIGRATIONS = Migrations(Path(__file__).parent / "migrations", lock_key=7_274_496_211)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows automatically only in a column of the type INTEGER.
_KEY = BigInteger().with_variant(Integer, "sqlite")

collections = Table(
    "collections",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(512), nullable=False, unique=True),
    Column("metadata", JSON, nullable=False),
    Column("index_id", String(64), nullable=False),
    Column("model", Text, nullable=False),
    Column("model_revision", Text, nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("document_count", Integer, nullable=False),
    Column("created_at_s", Double, nullable=False),
    Column("state", String(16), nullable=False, server_default="live"),
    Column("retired_at_s", Double),
    # The generation that is kept for a rollback.
    Column("previous", JSON(none_as_null=True)),
    # The last revision whose dead chunks may have been forgotten.
    Column("swept", Integer, nullable=False, server_default="0"),
)


def _of_collection() -> Column[str]:
    return Column(
        "collection_id",
        String(32),
        ForeignKey("collections.id", ondelete="CASCADE"),
        nullable=False,
    )


documents = Table(
    "documents",
    metadata,
    Column("key", _KEY, primary_key=True, autoincrement=True),
    _of_collection(),
    Column("id", String(512), nullable=False),
    Column("version", String(32), nullable=False),
    Column("text", Text, nullable=False),
    Column("text_hash", String(64), nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("created_at_s", Double, nullable=False),
    Column("updated_at_s", Double, nullable=False),
    UniqueConstraint("collection_id", "id"),
    sqlite_autoincrement=True,
)

# One row for each value that a filter can see. `lookup` is the text, or its hash where the text
# is too long for an index.
fields = Table(
    "document_fields",
    metadata,
    Column("key", _KEY, primary_key=True, autoincrement=True),
    Column(
        "document_key",
        _KEY,
        ForeignKey("documents.key", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    _of_collection(),
    Column("field", String(256), nullable=False),
    Column("kind", String(1), nullable=False),
    Column("in_list", Boolean, nullable=False),
    Column("text", Text, nullable=False),
    Column("lookup", String(256), nullable=False),
    Column("number", Double),
)
Index("ix_document_fields_lookup", fields.c.collection_id, fields.c.field, fields.c.lookup)
Index("ix_document_fields_number", fields.c.collection_id, fields.c.field, fields.c.number)

# A chunk lives from the revision `born` until before the revision `died`. `previous_id`, `next_id`
# and `total` are of the version that the chunk belongs to.
chunks = Table(
    "chunks",
    metadata,
    Column("key", _KEY, primary_key=True, autoincrement=True),
    _of_collection(),
    Column("document_id", String(512), nullable=False),
    Column("chunk_id", String(36), nullable=False),
    Column("version", String(32), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("text_hash", String(64), nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("vectors", Integer, nullable=False),
    Column("born", Integer, nullable=False),
    Column("died", Integer),
    Column("died_at_s", Double, index=True),
    Column("extent", JSON(none_as_null=True)),
    Column("previous_id", String(36)),
    Column("next_id", String(36)),
    Column("total", Integer, nullable=False, server_default="1"),
    # Last: only answers read what a chunk says.
    Column("statements", LargeBinary),
    UniqueConstraint("chunk_id", "version"),
    Index("ix_chunks_document", "collection_id", "document_id"),
    Index("ix_chunks_text_hash", "text_hash"),
    Index("ix_chunks_born", "collection_id", "born", "key"),
    Index("ix_chunks_died", "collection_id", "died"),
    sqlite_autoincrement=True,
)

# What words a chunk is found by, as an encoder read them. Whoever lacks them reads the text again.
chunk_terms = Table(
    "chunk_terms",
    metadata,
    Column(
        "chunk_key",
        _KEY,
        ForeignKey("chunks.key", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("encoder", String(64), primary_key=True),
    Column("terms", LargeBinary, nullable=False),
)

embeddings = Table(
    "embedding_cache",
    metadata,
    Column("text_hash", String(64), primary_key=True),
    Column("model_revision", String(128), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("vectors", LargeBinary, nullable=False),
    Column("used_at_s", Double, nullable=False, server_default="0"),
)

pending_writes = Table(
    "pending_writes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("index_id", String(64), nullable=False),
    Column("point_ids", JSON, nullable=False),
    Column("announced_at_s", Double, nullable=False),
)

retired_indexes = Table(
    "retired_indexes",
    metadata,
    Column("index_id", String(64), primary_key=True),
    Column("retired_at_s", Double, nullable=False),
)


def _one_of_each_book(status: str) -> Index:
    """Whoever asks for a second one finds it taken, also at the same moment."""
    # In Postgres too, where the migration says so: to say it here would import its dialect, which
    # processes with SQLite do without.
    only = text(f"status = '{status}'")
    return Index(f"uq_jobs_{status}", "book_id", unique=True, sqlite_where=only)


jobs = Table(
    "jobs",
    metadata,
    Column("id", _KEY, primary_key=True, autoincrement=True),
    Column("book_id", String(512), nullable=False),
    Column("mode", String(16), nullable=False),
    Column("docs_path", Text),
    Column("force", Boolean, nullable=False),
    Column("triggered_by", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("token", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at_s", Double, nullable=False),
    Column("started_at_s", Double),
    Column("finished_at_s", Double),
    Column("lease_until_s", Double),
    Column("cancel_requested", Boolean, nullable=False),
    Column("progress", JSON, nullable=False),
    Column("warnings", JSON, nullable=False),
    Column("error", Text),
    Column("commit_id", Text),
    Column("building", String(32)),
    Column("kind", String(16), nullable=False, server_default="book"),
    Column("model", Text),
    Column("back_to", String(64)),
    Column("recall", JSON(none_as_null=True)),
    Column("patterns", JSON(none_as_null=True)),
    Column("exclude", JSON(none_as_null=True)),
    Column("self_test", JSON(none_as_null=True)),
    Index("ix_jobs_book_id_id", "book_id", "id"),
    Index("ix_jobs_status_id", "status", "id"),
    _one_of_each_book("queued"),
    _one_of_each_book("running"),
    sqlite_autoincrement=True,  # a number that was given stands for one job for ever
)

# By the name of the collection, which stays when the collection is rebuilt.
books = Table(
    "books",
    metadata,
    Column("collection", String(512), primary_key=True),
    Column("book_id", String(512), primary_key=True),
    Column("patterns", JSON, nullable=False),
    Column("exclude", JSON, nullable=False),
    Column("automatic", Boolean, nullable=False),
    Column("source", Text, nullable=False),
    Column("chosen_at_s", Double, nullable=False),
)

self_tests = Table(
    "self_tests",
    metadata,
    Column("collection", String(512), primary_key=True),
    Column("book_id", String(512), primary_key=True),
    Column("book_state", String(64), nullable=False),
    Column("report", JSON, nullable=False),
    # Last: it is large, and counting does not read it.
    Column("probes", JSON, nullable=False),
)

# The documents of a load, and what became of them; `status` is NULL until that is known.
load_items = Table(
    "load_items",
    metadata,
    Column("job_id", _KEY, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("status", String(16)),
    Column("result", JSON(none_as_null=True)),
    # Last: SQLite reads through a large text to find the columns after it.
    Column("document", JSON, nullable=False),
    Index("ix_load_items_status", "job_id", "status", "position"),
)

# By a hash of the book and of the question's words.
unanswered_questions = Table(
    "unanswered_questions",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("book_id", String(512), nullable=False),
    Column("count", Integer, nullable=False),
    Column("first_asked_at_s", Double, nullable=False),
    Column("last_asked_at_s", Double, nullable=False, index=True),
    Column("question", Text, nullable=False),
    Column("closest", JSON, nullable=False),
)

marks = Table(
    "marks",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("about", String(16), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("marked_at_s", Double, nullable=False, index=True),
    Column("question", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("sources", JSON, nullable=False),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", String(128), primary_key=True),
    Column("received_at_s", Double, nullable=False, index=True),
)

installation = Table(
    "installation",
    metadata,
    # There is one row at most.
    Column("only", Integer, primary_key=True, autoincrement=False),
    Column("id", String(32), nullable=False),
)
