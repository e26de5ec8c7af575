"""Replies of the service as a test wants them, given to the page in its place."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from playwright.sync_api import Page, Route

Json: TypeAlias = dict[str, Any]

# Replaces the reply to a question by a stream that the test writes to.
_STREAM = """
(() => {
  const original = window.fetch;
  window.fetch = (address, options) => {
    if (!String(address).includes("chat/stream")) return original(address, options);
    const encoder = new TextEncoder();
    const body = new ReadableStream({ start(stream) {
      const frame = (event) => encoder.encode(`data: ${JSON.stringify(event)}\\n\\n`);
      window.say = (event) => stream.enqueue(frame(event));
      window.end = () => stream.close();
      options.signal?.addEventListener("abort", () => stream.error(options.signal.reason));
    }});
    window.asked = [...(window.asked ?? []), JSON.parse(options.body)];
    return Promise.resolve(new Response(body, { status: 200 }));
  };
})();
"""


@dataclass
class FakeChat:
    """A chat whose answers arrive when the test says so."""

    page: Page

    def __post_init__(self) -> None:
        self.page.add_init_script(_STREAM)

    def find(self, *titles: str) -> None:
        places = [{"title": title, "heading": "", "url": "/docs/x"} for title in titles]
        self.page.evaluate("event => say(event)", {"type": "found", "places": places})

    def say(self, text: str, **facts: bool) -> None:
        self.page.evaluate("event => say(event)", {"type": "chunk", "content": text, **facts})

    def cite(self, *sources: Json) -> None:
        self.page.evaluate("event => say(event)", {"type": "sources", "sources": list(sources)})

    def finish(self, **facts: object) -> None:
        event = {"type": "done", "metadata": metadata(**facts)}
        self.page.evaluate("event => { say(event); end(); }", event)

    def break_off(self) -> None:
        self.page.evaluate("() => end()")

    @property
    def asked(self) -> list[Json]:
        found: list[Json] = self.page.evaluate("() => window.asked ?? []")
        return found


@dataclass
class FakeService:
    """Fixed replies by path; an error is a status and a body."""

    page: Page

    def reply(self, path: str, body: Json | list[Json], status: int = 200) -> None:
        def fulfill(route: Route) -> None:
            route.fulfill(status=status, content_type="application/json", body=json.dumps(body))

        self.page.route(f"**/{path}", fulfill)

    def answer(self, text: str, sources: Sequence[Json], **facts: object) -> None:
        """Answer every question with this, as a stream."""
        events = [
            {"type": "chunk", "content": text},
            {"type": "sources", "sources": list(sources)},
            {"type": "done", "metadata": metadata(**facts)},
        ]
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        self.page.route(
            "**/chat/stream",
            lambda route: route.fulfill(status=200, content_type="text/event-stream", body=body),
        )


def metadata(**facts: object) -> Json:
    return {
        "query_time_ms": 12.0,
        "chunks_retrieved": 5,
        "model": "extractive",
        "history": "saved",
        "answered": True,
        "cut_off": False,
        "fallback": None,
        "warning": None,
    } | facts


def source(number: int = 1, **fields: object) -> Json:
    return {
        "number": number,
        "source_url": "/docs/x",
        "page_title": f"Lesson {number}",
        "section_heading": "Part",
        "chunk_text": "The exact words.",
        "relevance_score": 0.7,
        "char_start": None,
        "char_end": None,
        "line_start": 3,
        "line_end": 3,
        "source_file": "a/b.md",
        "chunk_id": None,
        "document_id": None,
        "lesson_url": None,
        "collection": "book",
    } | fields


def chunk(text: str, **fields: object) -> Json:
    return {
        "chunk_id": "c1",
        "text": text,
        "score": 0.5,
        "source_file": "a/b.md",
        "section_title": "Part",
        "module": "ros2",
        "chapter": 1,
        "lesson": 1,
        "lesson_title": "Lesson",
        "hardware_tier": 1,
        "proficiency_level": "A1",
        "parent_doc_id": "d1",
        "prev_chunk_id": None,
        "next_chunk_id": None,
        "lesson_url": None,
        "start": 0,
        "end": len(text),
    } | fields
