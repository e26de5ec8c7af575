"""Maps replies to the schemas of the RAG contract's chat."""

from sourcebook.answering.rag_v3_chat import ChatReply
from sourcebook.surfaces.rag_v3 import chat_schemas as schemas

CUT_OFF = (
    "The reply was cut off: the model was not done in time, or not within its limit of tokens."
    " Ask for less at once"
)


def reply_out(reply: ChatReply) -> schemas.RagChatOut:
    """Map a reply; each generation of clients looks for it in another place."""
    warning = CUT_OFF if reply.cut_off else None
    data = schemas.RagChatDataOut(
        message=reply.text,
        response=reply.text,
        conversation_id=reply.conversation_id,
        message_id=reply.id,
        model=reply.model,
        warning=warning,
    )
    return schemas.RagChatOut(
        data=data,
        conversation_id=reply.conversation_id,
        model=reply.model,
        rag_used=reply.rag_used,
        rag_sources=[schemas.RagSourceOut.model_validate(source) for source in reply.sources],
        warning=warning,
    )
