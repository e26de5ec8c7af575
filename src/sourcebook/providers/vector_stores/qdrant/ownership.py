"""Names and marks our collections on a Qdrant server, to tell them from other people's."""

from collections.abc import Mapping

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.vectors import IndexSpec

# In no namespace and in no index id, so that one namespace never begins another's names.
_SEPARATOR = "."
_MARK = "sourcebook"


def our_collection(namespace: str, index_id: str) -> str:
    """Return the name of the collection that holds an index of an installation."""
    return f"{namespace}{_SEPARATOR}{index_id}"


def index_of(collection: str, namespace: str) -> str | None:
    """Return the index that a collection holds; None if it belongs to another installation."""
    owner, between, index_id = collection.partition(_SEPARATOR)
    return index_id if between and owner == namespace else None


def check_namespace(namespace: str) -> str:
    """Refuse a namespace that could be mistaken for another."""
    if not namespace or _SEPARATOR in namespace:
        raise ConfigurationError(
            f"Namespace {namespace!r} cannot name collections: it must not be empty or hold a"
            f" {_SEPARATOR!r}"
        )
    return namespace


def mark(namespace: str, spec: IndexSpec) -> dict[str, object]:
    """Return the metadata of our collections. Servers before Qdrant 1.16 keep none."""
    about = {"namespace": namespace, "index": spec.id, "dimensions": spec.dimensions}
    return {_MARK: about}


def is_ours(collection: str, metadata: Mapping[str, object] | None, namespace: str) -> bool:
    """True if Sourcebook made the collection, in this installation or in another."""
    return _MARK in (metadata or {}) or index_of(collection, namespace) is not None
