"""Documents for these tests, and the paths of the contract."""

import hashlib

INGEST = "/api/rag/ingest"
BATCH = "/api/rag/ingest/batch"
JOBS = "/api/rag/ingest/jobs"
SEARCH = "/api/rag/search"
DOCUMENTS = "/api/rag/documents"
METRICS = "/api/rag/metrics"

JSON = {"Content-Type": "application/json"}


def posting(path: str = "/arm.md", **fields: object) -> dict[str, object]:
    """A document as a tool would post it, with other fields as given."""
    text = "The arm lifts up to 3 kg."
    return {"source": "nas-docs", "path": path, "title": "The arm", "text": text, **fields}


def without(name: str) -> dict[str, object]:
    """A document that lacks a field."""
    return {key: value for key, value in posting().items() if key != name}


def id_of(path: str = "/arm.md", source: str = "nas-docs") -> str:
    """The id that clients compute."""
    return hashlib.md5(f"{source}:{path}".encode(), usedforsecurity=False).hexdigest()


def long_text(paragraphs: int = 60) -> str:
    """A text of many chunks."""
    return "\n\n".join(
        f"Paragraph {n} is about joint number {n}. " + "It bends this far. " * 40
        for n in range(paragraphs)
    )


def invalid(field: str, message: str) -> dict[str, object]:
    """The body of a 400, in the shape of the contract's section 5."""
    details = {"field": field, "message": message}
    return {"error": "Validation error", "message": message, "details": details}
