"""LlamaIndex asks by both of OpenAI's APIs, and retrieves with our package."""

import json
import sys

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike, OpenAILikeResponses
from llama_index.retrievers.sourcebook import SourcebookRetriever

service, question = sys.argv[1:]
api = {"api_base": f"{service}/v1", "api_key": "unused", "is_chat_model": True}
asked = [ChatMessage(role="user", content=question)]


def last(stream):
    *_, end = stream
    return end


chat = OpenAILike(model="sourcebook", **api)
answer = chat.chat(asked).message.content
streamed = last(chat.stream_chat(asked)).message.content
# Here it reads the text alone, which ends with the sources.
print(json.dumps({"answer": answer, "streamed": streamed, "cited": [answer, streamed]}))

book = OpenAILikeResponses(model="sourcebook", **api)
reply, end = book.chat(asked), last(book.stream_chat(asked))
cited = [
    reply.additional_kwargs["annotations"][0].url,
    end.additional_kwargs["annotations"][0]["url"],
]
print(
    json.dumps({"answer": reply.message.content, "streamed": end.message.content, "cited": cited})
)

found = SourcebookRetriever(service, similarity_top_k=1).retrieve(question)[0].node
print(json.dumps({"found": found.get_content(), "cited": [found.metadata["source"]]}))
