"""Names and marks our collections on a Qdrant server, to tell them from other people's."""

from collections.abc import Collection, Mapping

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.vectors import IndexSpec

# In no namespace and in no index id, so that one namespace never begins another's names.
_SEPARATOR = "."
_MARK = "sourcebook"
# Without the separator: it is no index, and earlier releases do not take it for one.
_CATALOG = "-catalog"


def our_collection(namespace: str, index_id: str) -> str:
    """Return the name of the collection that holds an index of an installation."""
    return f"{namespace}{_SEPARATOR}{index_id}"


def index_of(collection: str, namespace: str) -> str | None:
    """Return the index that a collection holds; None if it belongs to another installation."""
    owner, between, index_id = collection.partition(_SEPARATOR)
    return index_id if between and owner == namespace else None


def catalog_of(namespace: str) -> str:
    """Return the name of the collection that describes the others of an installation."""
    return f"{namespace}{_CATALOG}"


def namespaces_in(collections: Collection[str], namespace: str) -> set[str]:
    """Return the namespaces of all installations that own one of these collections.

    They begin like the given one: `sourcebook-` and the id of an installation.
    """
    kind = namespace.rpartition("-")[0] + "-"
    owners = {name.removesuffix(_CATALOG).partition(_SEPARATOR)[0] for name in collections}
    ours = {name for name in owners if any(_is_owned(c, name) for c in collections)}
    return {name for name in ours if name.startswith(kind)}


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


def catalog_mark(namespace: str) -> dict[str, object]:
    """Return the metadata of our catalog. Servers before Qdrant 1.16 keep none."""
    return {_MARK: {"namespace": namespace, "catalog": True}}


def is_ours(collection: str, metadata: Mapping[str, object] | None, namespace: str) -> bool:
    """True if Sourcebook made the collection, in this installation or in another."""
    return _MARK in (metadata or {}) or _is_owned(collection, namespace)


def _is_owned(collection: str, namespace: str) -> bool:
    return collection == catalog_of(namespace) or index_of(collection, namespace) is not None
