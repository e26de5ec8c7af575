"""The error dialect of the RAG contract's chat: adds `status`."""

from sourcebook.surfaces.errors import documented_errors
from sourcebook.surfaces.rag_v3.chat_schemas import RagChatErrorOut
from sourcebook.surfaces.rag_v3.errors import MEANINGS, ErrorBody, RagDialect


def chat_errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the error replies of a route for the OpenAPI document."""
    return documented_errors(RagChatErrorOut, MEANINGS, statuses)


def _with_status(body: ErrorBody) -> ErrorBody:
    return {"status": "error", **body}


DIALECT = RagDialect(_with_status)
