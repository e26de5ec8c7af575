"""Haystack asks by the Responses API, and retrieves with our package."""

import json
import sys

from haystack.components.generators.chat import OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from haystack_integrations.components.retrievers.sourcebook import SourcebookRetriever

service, question = sys.argv[1:]
pieces = []
book = OpenAIResponsesChatGenerator(
    model="sourcebook", api_base_url=f"{service}/v1", api_key=Secret.from_token("unused")
)

answer = book.run([ChatMessage.from_user(question)])["replies"][0]
end = book.run(
    [ChatMessage.from_user(question)], streaming_callback=lambda chunk: pieces.append(chunk.content)
)["replies"][0]
cited = [answer.meta["citations"][0], end.meta["citations"][0]]
print(json.dumps({"answer": answer.text, "streamed": "".join(pieces), "cited": cited}))

found = SourcebookRetriever(service, top_k=1).run(question)["documents"][0]
print(json.dumps({"found": found.content, "cited": [found.meta["source"]]}))
