"""The library: opens a book in your own program, without a server."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal, TypedDict, Unpack, overload

from pydantic import ValidationError

from sourcebook.answering.answer_events import AnswerGatherer, gather_answer
from sourcebook.core.answers import (
    Answer,
    AnswerEvent,
    ClosestPlace,
    Fallback,
    History,
    Question,
    SentenceCounts,
    TextPiece,
)
from sourcebook.core.answers import Mode as AnswerMode
from sourcebook.core.book_source import FileProblem
from sourcebook.core.documents import Chunk
from sourcebook.core.errors import InvalidInput, SourcebookError
from sourcebook.core.jobs import IngestJob, IngestMode, JobRequest, JobStatus
from sourcebook.core.search_modes import SEARCH_MODES, SearchMode
from sourcebook.core.text import is_blank
from sourcebook.ingestion.book.layout_choice import check_patterns
from sourcebook.providers.sources.website.options import is_web_address
from sourcebook.search.book_query import BookQuery, BookScope
from sourcebook.search.explanation import FoundHits
from sourcebook.search.timings import SearchTimings
from sourcebook.service.config.data_folder import make_data_folder
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.wiring.given_book import find_given_book, given_source
from sourcebook.service.wiring.use_cases import open_to_write
from sourcebook.surfaces.book.ingestion_results import changes_out
from sourcebook.surfaces.book.results import DIRECT_SCORE, chunk_out, lesson_out
from sourcebook.surfaces.book.schemas import ChunkOut
from sourcebook.surfaces.chat.parsing import parse_question
from sourcebook.surfaces.chat.results import citation_out
from sourcebook.surfaces.chat.schemas import ChatIn, CitationOut
from sourcebook.surfaces.use_cases import UseCases

POLL_INTERVAL_S = 0.05
MAX_RESULTS = 1_000

# A library does not print: what it logs is shown only by a program that asked for it.
logging.getLogger("sourcebook").addHandler(logging.NullHandler())


class IngestionFailed(SourcebookError):
    """A book could not be indexed; the index is as it was before."""

    code = "ingestion_failed"


@dataclass(frozen=True, slots=True)
class BookChunk(ChunkOut):
    """A chunk of a lesson, with the fields of the HTTP contract.

    `text` stands in `source_file` from character `start` to before `end`, from line `line_start`
    to `line_end`. `score` is how well it fits, from 0 to 1, and 1.0 if it was not searched for.
    `citation` are the words to cite it by.
    """


@dataclass(frozen=True, slots=True)
class ExplainedChunk:
    """A chunk that was found, and what each stage of the search said of it.

    Ranks count from 1, among the candidates: `rank` by `chunk.score`, `dense_rank` by meaning,
    `keyword_rank` by words. What does not apply is None: `keyword_rank` if it has none of the
    words, `bm25` if words did not count, the reranker's without one.
    """

    chunk: BookChunk
    rank: int
    dense_rank: int | None
    cosine: float
    keyword_rank: int | None
    bm25: float | None
    rerank_rank: int | None
    rerank_score: float | None


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """How a search went: what it went by, what it found, how long each stage took.

    `mode` is None if nothing is indexed yet. `note` says why the results were not reranked, if
    they should have been.
    """

    mode: SearchMode | None
    results: tuple[ExplainedChunk, ...]
    times: SearchTimings
    note: str | None = None


class SearchFilters(TypedDict, total=False):
    """What a search is narrowed to, and what it goes by."""

    module: str | None
    chapter_min: int | None
    chapter_max: int | None
    lesson: int | None
    proficiency_levels: tuple[str, ...] | None
    layer: str | None
    parent_doc_id: str | None
    mode: SearchMode | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A whole lesson: its text as it is in the source, and its chunks in reading order."""

    parent_doc_id: str
    text: str
    chunks: tuple[BookChunk, ...]
    lesson_title: str | None
    source_file: str | None
    lesson_url: str | None


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a run did. `partial` means that `files_failed` files are indexed as before.

    `files_unmatched` markdown files fit no pattern; `other_files` counts those of other kinds, by
    the ends of their names. Of `warning_count` warnings, `warnings` has the first.
    """

    status: JobStatus
    files_processed: int
    files_skipped: int
    files_failed: int
    documents_deleted: int
    chunks_created: int
    chunks_deleted: int
    chunks_embedded: int
    chunks_reused: int
    warnings: tuple[FileProblem, ...]
    warning_count: int = 0
    files_unmatched: int = 0
    other_files: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BookChanges:
    """What a run would do; `would_refuse` if it would delete so much that it needs `force`."""

    new: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: int
    warnings: tuple[FileProblem, ...]
    would_refuse: bool
    files_unmatched: int = 0
    other_files: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerSource(CitationOut):
    """A source of an answer, with the fields of the HTTP contract; `[number]` points to it.

    `chunk_text` stands in `source_file` from character `char_start` to before `char_end`, from
    line `line_start` to `line_end`; or in the selection, if that was asked.
    """


@dataclass(frozen=True, slots=True)
class BookAnswer:
    """An answer, every sentence of it checked against its sources.

    `answered` is False if the book, or the selection, does not hold the answer: then `text` says
    so, and there are no sources. `cut_off` is True if the model was not done in time, or
    within its limit of tokens: then `text` is what could be checked by then. `collections` are
    those that were searched, and `search_mode` is what the search went by. `sentences` says how
    many of the written sentences were proven, replaced by quotes, and dropped. `fallback` is
    "extractive" if the model failed and `text` quotes the book instead; `warning` says why.
    `answer_probability` is the reader's that the book answers, None if it has not read what was
    found; `closest` are the places nearest to a question that was refused, the first with its text
    if that may help, and `further` are places that answer, too.
    `corrected_question` is what was searched for if no document has some word of the question.
    """

    text: str
    answered: bool
    sources: tuple[AnswerSource, ...]
    mode: AnswerMode
    model: str
    chunks_retrieved: int
    query_time_ms: float
    query_strategy: str | None
    history: History
    cut_off: bool = False
    collections: tuple[str, ...] = ()
    fallback: Fallback | None = None
    warning: str | None = None
    search_mode: SearchMode | None = None
    sentences: SentenceCounts = field(default_factory=SentenceCounts)
    answer_probability: float | None = None
    closest: tuple[ClosestPlace, ...] = ()
    further: tuple[ClosestPlace, ...] = ()
    corrected_question: str | None = None


@asynccontextmanager
async def open(
    *,
    data_dir: Path | str | None = None,
    docs: Path | str | None = None,
    book_id: str | None = None,
    embeddings_config: Path | str | None = None,
    llm: str | None = None,
    patterns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> AsyncIterator["Book"]:
    """Open a book, or all of them: with `docs` or `book_id` one, else all are asked.

    `docs` is the book's folder, one file, or the address of a website; unless `book_id` names the
    book, it is the one that comes from there, else a new one with the folder's name. `patterns` say
    which files are lessons and `exclude` which to leave out, as docs/book.md describes; both are
    kept with the book.

    Arguments that are left out come from the settings of the service (environment, `.env`), else
    from their defaults: the bundled model, the user's data folder. `llm` is the language model
    that writes answers, such as "gemini" or "ollama:llama3.2"; without one, answers are quotes.
    """
    settings = load_settings(
        data_dir=data_dir, book_id=book_id, embeddings_config=embeddings_config, llm=llm
    )
    request = JobRequest(
        settings.book_id,
        patterns=_listed("patterns", patterns),
        exclude=_listed("exclude", exclude),
    )
    check_patterns(request)
    if docs is not None:
        named = _naming(settings, docs)
        given = await find_given_book(settings, given_source(named))
        settings = named.keeping(given.book_id)
        request = replace(request, book_id=settings.book_id)
    async with open_to_write(settings, make_data_folder(settings.data_dir)) as use_cases:
        yield Book(use_cases, request, None if docs is None else settings.book_id)


def _naming(settings: Settings, docs: Path | str) -> Settings:
    """The settings with this source, which wins over what the environment names."""
    is_site = isinstance(docs, str) and is_web_address(docs)
    source = {
        "docs_path": None if is_site else Path(docs).expanduser(),
        "docs_site": docs if is_site else None,
        "docs_repository": None,
    }
    return settings.model_copy(update=source)


def _listed(name: str, patterns: Sequence[str] | None) -> tuple[str, ...] | None:
    if isinstance(patterns, str):
        raise InvalidInput(f"{name} must be a list: [{patterns!r}], not {patterns!r}")
    return None if patterns is None else tuple(patterns)


class Book:
    """An open book: index its files, ask it, search it, read it."""

    def __init__(
        self,
        use_cases: UseCases,
        request: JobRequest | None = None,
        only_book: str | None = None,
    ) -> None:
        self._books = use_cases.books
        self._book_jobs = use_cases.book_jobs
        self._sessions = use_cases.sessions
        self._only_book = only_book
        self._default_books = use_cases.default_books
        self._base_url = use_cases.book_rules.base_url
        self._request = request or JobRequest(use_cases.book_rules.book_id)

    @overload
    async def ingest(
        self, *, mode: IngestMode = ..., force: bool = ..., dry_run: Literal[False] = ...
    ) -> Ingested: ...

    @overload
    async def ingest(
        self, *, mode: IngestMode = ..., force: bool = ..., dry_run: Literal[True]
    ) -> BookChanges: ...

    async def ingest(
        self, *, mode: IngestMode = "incremental", force: bool = False, dry_run: bool = False
    ) -> Ingested | BookChanges:
        """Bring the index up to date with the files; IngestionFailed if that is impossible.

        A dry run changes nothing and returns what would change.
        """
        request = replace(self._request, mode=mode, force=force)
        if dry_run:
            preview = await self._book_jobs.preview(request)
            found = changes_out(preview, mode)
            return BookChanges(
                new=tuple(found.new),
                modified=tuple(found.modified),
                deleted=tuple(found.deleted),
                unchanged=found.unchanged,
                warnings=preview.found.problems,
                would_refuse=found.would_refuse,
                files_unmatched=found.files_unmatched,
                other_files=found.other_files,
            )
        return _ingested(await self._finished(await self._book_jobs.submit(request)))

    async def ask(
        self,
        question: str,
        *,
        hardware_tier: int | None = None,
        selection: str | None = None,
        session_id: str | None = None,
        top_k: int = 5,
        collections: Sequence[str] | None = None,
    ) -> BookAnswer:
        """Answer a question from the book, or from a `selection` alone, with the sources.

        A `session_id` (a UUID of version 4) makes it part of a conversation. `collections` are
        searched instead of the book; NotFound if there is none of that name.
        """
        asked = await self._question(
            question, hardware_tier, selection, session_id, top_k, collections=collections
        )
        return _answer(await gather_answer(await self._sessions.ask(asked)))

    async def ask_stream(
        self,
        question: str,
        *,
        hardware_tier: int | None = None,
        selection: str | None = None,
        session_id: str | None = None,
        top_k: int = 5,
        collections: Sequence[str] | None = None,
    ) -> AsyncGenerator[str | BookAnswer]:
        """Yield the text of the answer piece by piece, and the whole answer last."""
        asked = await self._question(
            question, hardware_tier, selection, session_id, top_k, collections=collections
        )
        async with aclosing(await self._sessions.ask(asked)) as events:
            async for part in _parts(events):
                yield part

    async def search(
        self,
        question: str,
        *,
        limit: int = 5,
        hardware_tier: int | None = None,
        module: str | None = None,
        chapter_min: int | None = None,
        chapter_max: int | None = None,
        lesson: int | None = None,
        proficiency_levels: tuple[str, ...] | None = None,
        layer: str | None = None,
        parent_doc_id: str | None = None,
        mode: SearchMode | None = None,
        min_score: float = 0.0,
    ) -> tuple[BookChunk, ...]:
        """Find the chunks that fit the question best, best first. All given filters must hold.

        `mode` is "dense" (by meaning), "keyword" (by words) or "hybrid" (by both, the default).
        """
        found = await self._search(
            question,
            limit,
            hardware_tier,
            min_score,
            module=module,
            chapter_min=chapter_min,
            chapter_max=chapter_max,
            lesson=lesson,
            proficiency_levels=proficiency_levels,
            layer=layer,
            parent_doc_id=parent_doc_id,
            mode=mode,
        )
        return tuple(self._chunk(hit.chunk, hit.score) for hit in found.hits)

    async def explain(
        self,
        question: str,
        *,
        limit: int = 5,
        hardware_tier: int | None = None,
        min_score: float = 0.0,
        **filters: Unpack[SearchFilters],
    ) -> SearchExplanation:
        """Search with the arguments of `search`, and tell how each stage went."""
        found = await self._search(question, limit, hardware_tier, min_score, **filters)
        said = found.explanation
        results = tuple(
            ExplainedChunk(
                chunk=self._chunk(stages.hit.chunk, stages.hit.score),
                rank=stages.rank,
                dense_rank=stages.dense_rank,
                cosine=stages.hit.cosine,
                keyword_rank=stages.keyword_rank,
                bm25=None if stages.hit.terms is None else stages.hit.terms.bm25,
                rerank_rank=stages.rerank_rank,
                rerank_score=stages.hit.rerank_score,
            )
            for stages in said.hits
        )
        return SearchExplanation(said.mode, results, said.times, said.note)

    async def _search(
        self,
        question: str,
        limit: int,
        hardware_tier: int | None,
        min_score: float,
        **filters: Unpack[SearchFilters],
    ) -> FoundHits:
        if is_blank(question):
            raise InvalidInput("The question is empty")
        if not 1 <= limit <= MAX_RESULTS:
            raise InvalidInput(f"limit must be 1 to {MAX_RESULTS}, got {limit}")
        mode = filters.get("mode")
        if mode is not None and mode not in SEARCH_MODES:
            raise InvalidInput(f"mode must be one of {', '.join(SEARCH_MODES)}, got {mode!r}")
        if not 0.0 <= min_score <= 1.0:
            raise InvalidInput(f"min_score must be 0 to 1, got {min_score}")
        scope = await self._scope(hardware_tier)
        # A filter that is misspelt is a TypeError here, rather than a wider search.
        query = BookQuery(question, scope, limit=limit, least_score=min_score, **filters)
        return await self._books.search(query)

    async def read(self, parent_doc_id: str, *, hardware_tier: int | None = None) -> Lesson:
        """Read a whole lesson, by the `parent_doc_id` of any of its chunks; or NotFound."""
        scope = await self._scope(hardware_tier)
        whole = await self._books.lesson(scope, parent_doc_id)
        about = lesson_out(whole, self._base_url)
        return Lesson(
            parent_doc_id=about.parent_doc_id,
            text=about.text,
            chunks=tuple(self._chunk(chunk) for chunk in whole.chunks),
            lesson_title=about.lesson_title,
            source_file=about.source_file,
            lesson_url=about.lesson_url,
        )

    async def context(
        self,
        chunk_id: str,
        *,
        previous: int = 1,
        following: int = 1,
        hardware_tier: int | None = None,
    ) -> tuple[BookChunk, ...]:
        """Return a chunk with its neighbours, in reading order; or NotFound."""
        scope = await self._scope(hardware_tier)
        chunks = await self._books.context(scope, chunk_id, previous, following)
        return tuple(self._chunk(chunk) for chunk in chunks)

    async def _scope(self, hardware_tier: int | None) -> BookScope:
        return BookScope(await self._books_meant(), hardware_tier)

    async def _books_meant(self) -> tuple[str, ...]:
        return (self._only_book,) if self._only_book else await self._default_books.ids()

    async def _question(
        self,
        question: str,
        hardware_tier: int | None,
        selection: str | None,
        session_id: str | None,
        top_k: int,
        *,
        collections: Sequence[str] | None,
    ) -> Question:
        """Validate a question by the rules of the HTTP contract; or InvalidInput."""
        if is_blank(question):
            raise InvalidInput("The question is empty")
        if selection is not None and is_blank(selection):
            raise InvalidInput("The selection is empty")
        if isinstance(collections, str):
            raise InvalidInput(f"collections must be a list of names, such as [{collections!r}]")
        given = {
            "query": question,
            "session_id": session_id,
            "mode": "general" if selection is None else "selected_text",
            "selected_text": selection,
            "top_k": top_k,
            "hardware_tier": hardware_tier,
            "collections": None if collections is None else list(collections),
        }
        try:
            asked = ChatIn.model_validate(given)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
            raise InvalidInput(f"{found['loc'][0]}: {found['msg']}") from None
        return replace(parse_question(asked), book_ids=await self._books_meant())

    async def _finished(self, job: IngestJob) -> IngestJob:
        try:
            while not job.finished:
                await asyncio.sleep(POLL_INTERVAL_S)
                job = await self._book_jobs.job(job.id)
        except asyncio.CancelledError:
            with suppress(SourcebookError):
                await self._book_jobs.cancel(job.id)
            raise
        if job.status in {"failed", "cancelled"}:
            raise IngestionFailed(job.error or f"The job was {job.status}")
        return job

    def _chunk(self, chunk: Chunk, score: float = DIRECT_SCORE) -> BookChunk:
        return BookChunk(**asdict(chunk_out(chunk, score, self._base_url)))


def _ingested(job: IngestJob) -> Ingested:
    counts = asdict(job.progress)
    kept = {name: counts[name] for name in Ingested.__dataclass_fields__.keys() & counts.keys()}
    return Ingested(status=job.status, warnings=job.warnings, **kept)


async def _parts(events: AsyncGenerator[AnswerEvent]) -> AsyncGenerator[str | BookAnswer]:
    gatherer = AnswerGatherer()
    async for event in events:
        if isinstance(event, TextPiece):
            yield event.content
        if (answer := gatherer.add(event)) is not None:
            yield _answer(answer)


def _answer(answer: Answer) -> BookAnswer:
    facts = answer.facts
    return BookAnswer(
        text=answer.text,
        answered=facts.answered,
        sources=tuple(AnswerSource(**asdict(citation_out(one))) for one in answer.citations),
        mode=facts.mode,
        model=facts.model,
        chunks_retrieved=facts.chunks_retrieved,
        query_time_ms=facts.query_time_ms,
        query_strategy=facts.query_strategy,
        history=facts.history,
        cut_off=facts.cut_off,
        collections=facts.collections,
        fallback=facts.fallback,
        # Whoever calls the library runs it.
        warning=facts.failure,
        search_mode=facts.search_mode,
        sentences=facts.sentences,
        answer_probability=facts.answer_probability,
        closest=facts.closest,
        further=facts.further,
        corrected_question=facts.corrected_question,
    )
