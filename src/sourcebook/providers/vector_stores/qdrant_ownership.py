"""Which collections of a Qdrant server are ours: by their names, and by a mark of ours."""

from collections.abc import Mapping

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.vectors import IndexSpec

# In no namespace and in no index id, so that one namespace never begins another's names.
_BETWEEN = "."
_MARK = "sourcebook"


def our_collection(namespace: str, index_id: str) -> str:
    """The collection that holds an index of an installation."""
    return f"{namespace}{_BETWEEN}{index_id}"


def index_of(collection: str, namespace: str) -> str | None:
    """The index that a collection holds; None if it is not of this installation."""
    owner, between, index_id = collection.partition(_BETWEEN)
    return index_id if between and owner == namespace else None


def check_namespace(namespace: str) -> str:
    """Refuse a namespace that could be mistaken for another."""
    if not namespace or _BETWEEN in namespace:
        raise ConfigurationError(
            f"Namespace {namespace!r} cannot name collections: it must not be empty or hold a"
            f" {_BETWEEN!r}"
        )
    return namespace


def mark(namespace: str, spec: IndexSpec) -> dict[str, object]:
    """What the metadata of our collections say. Servers before Qdrant 1.16 keep none."""
    about = {"namespace": namespace, "index": spec.id, "dimensions": spec.dimensions}
    return {_MARK: about}


def is_ours(collection: str, metadata: Mapping[str, object] | None, namespace: str) -> bool:
    """Tell whether Sourcebook made a collection, be it of this installation or of another."""
    return _MARK in (metadata or {}) or index_of(collection, namespace) is not None
