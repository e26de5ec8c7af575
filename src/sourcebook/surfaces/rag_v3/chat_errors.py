"""The dialect of contract 003's chat: that of the contract, with `status` and always a message."""

from sourcebook.surfaces.rag_v3.chat_schemas import RagChatErrorOut
from sourcebook.surfaces.rag_v3.errors import MEANINGS, RagDialect, Said


def chat_dialect() -> RagDialect:
    """Errors as clients of the chat know them."""
    return RagDialect(_with_status)


def chat_errors(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The error replies of a route, for the OpenAPI document."""
    return {
        status: {"model": RagChatErrorOut, "description": MEANINGS[status]} for status in statuses
    }


def _with_status(said: Said) -> Said:
    details = said.get("details")
    message = details["message"] if isinstance(details, dict) else said["message"]
    return {"status": "error", "error": said["error"], "message": message, **said}
