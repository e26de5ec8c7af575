"""LangChain asks by the Responses API, embeds a text, and retrieves with our package."""

import json
import sys
from functools import reduce
from operator import add

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_sourcebook import SourcebookRetriever

service, question = sys.argv[1:]
api = {"base_url": f"{service}/v1", "api_key": "unused"}
book = ChatOpenAI(model="sourcebook", use_responses_api=True, **api)

answer = book.invoke(question)
streamed = reduce(add, book.stream(question))
cited = [
    block["annotations"][0]["url"]
    for message in (answer, streamed)
    for block in message.content_blocks
    if block["type"] == "text"
]
print(json.dumps({"answer": answer.text, "streamed": streamed.text, "cited": cited}))

embeddings = OpenAIEmbeddings(model="minilm", check_embedding_ctx_length=False, **api)
print(json.dumps({"dimensions": len(embeddings.embed_query(question))}))

found = SourcebookRetriever(base_url=service, k=1).invoke(question)[0]
print(json.dumps({"found": found.page_content, "cited": [found.metadata["source"]]}))
