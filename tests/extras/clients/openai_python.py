"""openai-python asks by chat completions and by the Responses API, and reads the annotations."""

import json
import sys

from openai import OpenAI

service, question = sys.argv[1:]
book = OpenAI(base_url=f"{service}/v1", api_key="unused")
messages = [{"role": "user", "content": question}]

chat = book.chat.completions.create(model="sourcebook", messages=messages)
with book.chat.completions.stream(model="sourcebook", messages=messages) as chunks:
    streamed_chat = chunks.get_final_completion()
response = book.responses.create(model="sourcebook", input=question)
with book.responses.stream(model="sourcebook", input=question) as events:
    streamed_response = events.get_final_response()


def show(answer, streamed, citation, streamed_citation):
    print(
        json.dumps(
            {"answer": answer, "streamed": streamed, "cited": [citation.url, streamed_citation.url]}
        )
    )


message, streamed_message = chat.choices[0].message, streamed_chat.choices[0].message
show(
    message.content,
    streamed_message.content,
    message.annotations[0].url_citation,
    streamed_message.annotations[0].url_citation,
)
show(
    response.output_text,
    streamed_response.output_text,
    response.output[-1].content[0].annotations[0],
    streamed_response.output[-1].content[0].annotations[0],
)
