"""A Sourcebook service as the target of an evaluation: its searches and its answers."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import httpx2
from pydantic import BaseModel

from sourcebook.cli.book_jobs import validated
from sourcebook.cli.service_client import ServiceClient
from sourcebook.evaluation.questions import FileLines, JudgedQuestion
from sourcebook.evaluation.runs import CitedQuote, FoundHit, GivenAnswer
from sourcebook.surfaces.book.schemas import MAX_RESULTS, ChunkOut, SearchIn, SearchOut
from sourcebook.surfaces.chat.schemas import ChatIn, ChatOut, CitationOut
from sourcebook.surfaces.collections.collect_schemas import CollectedOut, CollectOut, TopicOut
from sourcebook.surfaces.collections.schemas import QueryIn, QueryOut, ResultOut

TOO_MANY_REQUESTS = 429
MAX_WAIT_S = 60.0
MAX_WAITS = 10


@dataclass(frozen=True, slots=True)
class Scope:
    """What of a service is searched, and how: a collection, else a book; None for the default."""

    book: str | None = None
    collection: str | None = None
    mode: str | None = None


class ServiceTarget:
    """Searches and asks a service over HTTP, which may be an app in this process."""

    def __init__(self, http: httpx2.AsyncClient, scope: Scope) -> None:
        self._service = ServiceClient(http)
        self._scope = scope

    async def search(self, question: JudgedQuestion) -> Sequence[FoundHit]:
        """Return what `/search` finds in the book, or `/query` or `/collect` in the collection."""
        collection = self._scope.collection
        if collection is not None and question.earlier:
            return await self._collect(question, collection)
        text = await self._query_text(question)
        if collection is None:
            asked = {"query": text, "book_id": self._scope.book, "limit": MAX_RESULTS}
            request = validated(SearchIn, asked | {"mode": self._scope.mode})
            found = await self._service.request("POST", "/search", SearchOut, body=request)
            return [_book_hit(one) for one in found.results]
        query = {"query": text, "collection": collection, "top_k": MAX_RESULTS}
        body = validated(QueryIn, query | {"mode": self._scope.mode})
        reply = await self._service.request("POST", "/query", QueryOut, body=body)
        return [_collection_hit(one) for one in reply.results]

    async def ask(self, question: JudgedQuestion) -> GivenAnswer:
        """Return what `/chat` answers. Earlier questions are asked first, in the same session."""
        session = str(uuid.uuid4()) if question.earlier else None
        try:
            for earlier in question.earlier:
                await self._chat(earlier, session)
            reply = await self._chat(question.text, session)
        finally:
            if session is not None:
                # An evaluation leaves no conversations behind.
                await self._service.send("DELETE", f"/conversations/{session}")
        quotes = tuple(CitedQuote(one.chunk_text, _lines(one)) for one in reply.sources)
        return GivenAnswer(reply.metadata.answered, reply.answer, quotes)

    async def _collect(self, question: JudgedQuestion, collection: str) -> Sequence[FoundHit]:
        """Return what is found after the question before, as a client with topics asks."""
        body = _FollowUp(
            userMessage=question.text,
            currentTopic=question.earlier[-1],
            topic=await self._query_text(question),
            collections=[collection],
            top_k=MAX_RESULTS,
            mode=self._scope.mode,
        )
        found = await self._service.request("POST", "/collect", CollectOut, body=body)
        return [_collection_hit(one) for one in found.data]

    async def _query_text(self, question: JudgedQuestion) -> str:
        """Return what a chat would search with, given the questions before this one."""
        if not question.earlier:
            return question.text
        said = [_Remark(role="user", content=text) for text in question.earlier]
        body = _TopicQuestion(message=question.text, messages=said)
        return (await self._service.request("POST", "/topic", TopicOut, body=body)).topic

    async def _chat(self, text: str, session: str | None) -> ChatOut:
        scope = self._scope
        collections = None if scope.collection is None else [scope.collection]
        fields = {"query": text, "session_id": session, "collections": collections}
        body = validated(ChatIn, fields | {"book_id": scope.book, "search_mode": scope.mode})
        return await self._service.request("POST", "/chat", ChatOut, body=body)


class _Remark(BaseModel):
    role: str
    content: str


class _TopicQuestion(BaseModel):
    message: str
    messages: list[_Remark]


class _FollowUp(BaseModel):
    userMessage: str  # noqa: N815 - as the contract has it
    currentTopic: str  # noqa: N815
    topic: str
    collections: list[str]
    top_k: int
    mode: str | None


class WaitingTransport(httpx2.AsyncBaseTransport):
    """Waits as long as the service asks for when it has had too many requests, and asks again."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the reply; one with status 429 only if waiting did not help."""
        reply = await self._inner.handle_async_request(request)
        for _ in range(MAX_WAITS):
            if reply.status_code != TOO_MANY_REQUESTS:
                break
            await reply.aclose()
            await asyncio.sleep(_seconds_to_wait(reply))
            reply = await self._inner.handle_async_request(request)
        return reply

    async def aclose(self) -> None:
        await self._inner.aclose()


def _lines(source: CitationOut) -> FileLines | None:
    if source.source_file is None or source.line_start is None or source.line_end is None:
        return None
    return FileLines(source.source_file, source.line_start, source.line_end)


def _seconds_to_wait(reply: httpx2.Response) -> float:
    try:
        return min(MAX_WAIT_S, max(0.0, float(reply.headers.get("retry-after", "1"))))
    except ValueError:
        return 1.0


def _book_hit(found: ChunkOut) -> FoundHit:
    names = (
        found.chunk_id,
        found.parent_doc_id,
        *([found.source_file] if found.source_file else []),
    )
    titles = dict.fromkeys(title for title in (found.lesson_title, found.section_title) if title)
    return FoundHit(found.parent_doc_id, names, " › ".join(titles), found.text, found.score)


def _collection_hit(found: ResultOut | CollectedOut) -> FoundHit:
    title = found.metadata.get("title")
    shown = title if isinstance(title, str) else ""
    return FoundHit(found.id, (found.id,), shown, found.text, found.score)
