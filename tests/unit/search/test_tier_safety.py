"""Whatever a book holds and whoever asks: nothing above their tier or of another book leaves.

The oracle is plain Python over what the ledger holds; it knows nothing of filters or indexes.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.corpora import BookCorpus
from sourcebook.answering.retriever import Retriever
from sourcebook.core.answers import Question
from sourcebook.core.documents import Chunk, Document
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import NotFound
from sourcebook.core.filters import Filter, OneOf
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.search_modes import SEARCH_MODES, SearchMode
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.identity import lesson_id
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.lexical.term_indexing import TermIndexingStore
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from sourcebook.search.book_query import BookQuery, BookScope
from sourcebook.search.books import Books
from sourcebook.search.searcher import Searcher
from tests.books import BookWorld, MemorySource
from tests.fakes import FakeEmbedder
from tests.fuzz.profile import LONG, trying
from tests.ledgers import open_copied_ledger
from tests.memory_folder import memory_folder
from tests.memory_store import MemoryStore

BOOK_IDS = ("robots", "rovers")
# So many books, and so many questions to each by every reader: 300 or 21,000 cases for each store.
BOOKS, QUESTIONS = (100, 14) if LONG else (4, 5)
READERS = tuple(
    BookScope(book_ids, tier)
    for book_ids in (*((one,) for one in BOOK_IDS), ("unknown",), BOOK_IDS)
    for tier in (None, 1, 2, 3, 4)
)
ALL = 1_000

# How people write a tier into a front matter, and the tier that it means.
TIERS_AS_WRITTEN: Sequence[tuple[str, int]] = (
    ("", 1),
    ("hardware_tier:", 1),
    ("hardware_tier: 1", 1),
    ("hardware_tier: 2", 2),
    ("hardware_tier: 3", 3),
    ("hardware_tier: 4", 4),
    ("hardware_tier: '4'", 4),
    ('hardware_tier: "Tier 3"', 3),
    ("hardware_tier: tier-2", 2),
    ("hardware_tier: [1, 4]", 4),
    ("hardware_tier:\n  - 1\n  - 3", 3),
    ("hardware_tier: {least: 1, most: 4}", 4),
    ("hardware_tier: yes", 1),
    ("hardware_tier: true", 1),
    ("hardware_tier: .nan", 1),
    ("hardware_tier: nan", 1),
    ("hardware_tier: .inf", 1),
    ("hardware_tier: none", 1),
    ("hardware_tier: 3.5", 3),
    ("hardware_tier: 4.0", 4),
    ("hardware_tier: 0", 1),
    ("hardware_tier: -3", 1),
    ("hardware_tier: 99", 4),
    ("hardware_tier: 0x4", 4),
    ("hardware_tier: \uff14", 4),
    ("hardware_tier: '\u0664'", 4),
    ("hardware_tier: 1\nhardware_tier: 4", 4),
    ("hardware_tier: 4\nhardware_tier: 1", 4),
    ("hardware_tier: 4\nbroken: [", 4),
    ("broken: 'never closed\nhardware_tier: 3", 3),
    ("\tbroken: tab\nhardware_tier: 4", 4),
    ("hardware_tier: &tier 4\nlesson_tier: *tier", 4),
    ("hardware_tier: !!python/object:os.system 4", 4),
    ("hardware_tier: |\n  4", 4),
    ("'hardware_tier': 4", 4),
)

# What somebody may post straight into the collection, past every front matter.
TIERS_AS_POSTED: Sequence[JsonValue] = (
    1, 4, 0, -1, 1.0, 1.5, 4.0, 10**30, "1", "4", "", True, False, None, [1, 4], [4], [1], [],
    ["1"], [True], {"tier": 1}, {},
)  # fmt: skip
BOOKS_AS_POSTED: Sequence[JsonValue] = (
    "robots", "rovers", "Robots", "robots ", "", None, True, 1, ["robots"], ["rovers", "x"],
    [["robots"]], {"robots": "robots"}, [],
)  # fmt: skip
MISSING = "missing"

Stores = Callable[[Ledger], VectorStore]


ENCODER = Bm25Encoder()


def memory(_: Ledger) -> VectorStore:
    return TermIndexingStore(MemoryStore(), ENCODER)


def embedded(ledger: Ledger) -> VectorStore:
    return MirrorStore(ledger.mirrors, ENCODER)


@dataclass(frozen=True)
class Held:
    """A document of the ledger with its chunks: what the oracle knows."""

    document: Document
    chunks: tuple[Chunk, ...]

    def within(self, scope: BookScope) -> bool:
        """Tell whether the reader may see it: the lesson is hidden if any of its chunks is."""
        everything = [self.document.metadata, *(chunk.metadata for chunk in self.chunks)]
        return bool(self.chunks) and all(may_see(metadata, scope) for metadata in everything)


def may_see(metadata: Metadata, scope: BookScope) -> bool:
    """The rule, spelled out: of this book, and with a number for a tier that is not too high."""
    book, tier = metadata.get("book_id"), metadata.get("hardware_tier")
    named = book if isinstance(book, list) else [book]
    if not any(isinstance(one, str) and one in scope.book_ids for one in named):
        return False
    if scope.hardware_tier is None:
        return True
    if isinstance(tier, bool) or not isinstance(tier, int | float):
        return False
    return tier <= scope.hardware_tier


def is_asked_for(metadata: Metadata, query: BookQuery) -> bool:
    """Everything else that a question may ask for."""
    chapter, level = metadata.get("chapter"), metadata.get("proficiency_level")
    return (
        (query.module is None or metadata.get("module") == query.module)
        and (query.chapter_min is None or _at_least(chapter, query.chapter_min))
        and (query.chapter_max is None or _at_least(query.chapter_max, chapter))
        and (query.lesson is None or metadata.get("lesson") == query.lesson)
        and (query.proficiency_levels is None or level in query.proficiency_levels)
        and (query.layer is None or metadata.get("layer") == query.layer)
        and (query.parent_doc_id is None or metadata.get("parent_doc_id") == query.parent_doc_id)
    )


def _has(query: BookQuery, chunk: Chunk) -> bool:
    """Whether the chunk has a word of the question: its own text, and the titles above it."""
    texts = [chunk.text, *(str(value) for value in chunk.metadata.values())]
    words = {word.strip(".,:") for text in texts for word in text.lower().split()}
    return any(word in words for word in query.text.split())


def _at_least(value: JsonValue, bound: JsonValue) -> bool:
    return isinstance(value, int) and isinstance(bound, int) and value >= bound


class Case:
    """Two books in one collection, with intruders, and the questions that readers ask."""

    def __init__(self, world: BookWorld, models: EmbeddingModels) -> None:
        searcher = Searcher(world.ledger, world.store, models, terms=ENCODER)
        self.books = Books(world.ledger, searcher, world.collection_name)
        self.retriever = Retriever(searcher, [BookCorpus(world.collection_name, BOOK_IDS[0])])
        self.world = world
        self._ingestor = Ingestor(world.ledger, world.store, models)

    async def fill(self, books: Sequence[dict[str, str]], posted: Sequence[Metadata]) -> None:
        """Index the files of both books and post documents beside them."""
        for book_id, files in zip(BOOK_IDS, books, strict=True):
            self.world.source = MemorySource()
            for path, text in files.items():
                self.world.source.write(path, text)
            job = await self.world.ingest(book_id=book_id)
            assert job.status == ("completed" if files else "failed"), job
        documents = [
            Document(f"posted-{number}", f"{WORDS[number % 3]} posted {number}", metadata)
            for number, metadata in enumerate(posted)
        ]
        await self._ingestor.add(self.world.collection_name, documents)

    async def held(self) -> list[Held]:
        """All that the ledger holds."""
        collection = await self.world.collection()
        ids = {
            chunk.chunk.document_id
            async for batch in self.world.ledger.documents.walk(collection.id)
            for chunk in batch
        }
        wholes = [await self.world.ledger.documents.whole(collection.id, id_) for id_ in ids]
        return [Held(whole.document, whole.chunks) for whole in wholes if whole is not None]

    async def check_search(self, query: BookQuery, held: Sequence[Held]) -> None:
        """All that may be found is found, and nothing else."""
        expected = {
            chunk.id
            for each in held
            for chunk in each.chunks
            if may_see(chunk.metadata, query.scope) and is_asked_for(chunk.metadata, query)
        }
        if query.mode == "keyword":
            expected &= {chunk.id for each in held for chunk in each.chunks if _has(query, chunk)}
        found = [hit.chunk.id for hit in (await self.books.search(query)).hits]
        assert len(found) == len(set(found))
        assert set(found) <= expected, f"{query} let through {set(found) - expected}"
        assert len(found) == min(query.limit, len(expected)), f"{query} missed something"

    async def chat_sources(self, scope: BookScope, text: str, mode: SearchMode) -> set[str | None]:
        """The files that a chat finds."""
        question = Question(
            text,
            top_k=ALL,
            book_ids=scope.book_ids,
            hardware_tier=scope.hardware_tier,
            search_mode=mode,
        )
        return {passage.source.file for passage in await self.retriever.find(question, text)}

    async def check_lesson(self, scope: BookScope, each: Held) -> None:
        """A lesson is there whole, or is not there at all."""
        found: tuple[Chunk, ...] = ()
        try:
            found = (await self.books.lesson(scope, each.document.id)).chunks
        except NotFound:
            assert not each.within(scope), f"{scope} misses {each.document.metadata}"
        assert found == (each.chunks if each.within(scope) else ()), f"{scope}: {each.document}"

    async def check_context(self, scope: BookScope, each: Held, at: int, reach: int) -> None:
        """Around a chunk there is nothing but its own lesson."""
        at %= len(each.chunks)
        found: tuple[Chunk, ...] = ()
        try:
            found = await self.books.context(scope, each.chunks[at].id, reach, reach)
        except NotFound:
            assert not each.within(scope), f"{scope} misses {each.document.metadata}"
        around = each.chunks[max(0, at - reach) : at + reach + 1]
        assert found == (around if each.within(scope) else ()), f"{scope}: {each.document}"


WORDS = ("joints", "topics", "worlds")
PATHS = tuple(
    f"module-{module}/chapter-{chapter}-x/{lesson:02}-y.md"
    for module in ("1-ros2", "2-simulation")
    for chapter in (1, 3)
    for lesson in (1, 2)
)


@st.composite
def lessons(draw: st.DrawFn) -> str:
    """A file whose front matter is as odd as it may be."""
    tier, _ = draw(st.sampled_from(TIERS_AS_WRITTEN))
    level = draw(st.sampled_from(("", "proficiency_level: B1", "proficiency_level: [C1, A2]")))
    layer = draw(st.sampled_from(("", "layer: L2", "layer: 4")))
    fields = [line for line in (level, layer, tier) if line]
    sections = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
    return "---\n" + "\n".join(fields) + "\n---\n" + "".join(map(_section, sections))


def _section(word: str) -> str:
    return f"\n## {word}\n\n" + f"{word} turn. " * 60 + "\n"


def books() -> st.SearchStrategy[dict[str, str]]:
    return st.dictionaries(st.sampled_from(PATHS), lessons(), max_size=4)


@st.composite
def intruders(draw: st.DrawFn) -> Metadata:
    """Metadata with every type in every place; it may claim to be part of a lesson."""
    one_of_each: dict[str, st.SearchStrategy[JsonValue]] = {
        "book_id": st.sampled_from([MISSING, *BOOKS_AS_POSTED]),
        "hardware_tier": st.sampled_from([MISSING, *TIERS_AS_POSTED]),
        "module": st.sampled_from([MISSING, "ros2", "gazebo"]),
        "chapter": st.sampled_from([MISSING, 1, 3]),
        "parent_doc_id": st.sampled_from([MISSING, *LESSON_IDS]),
    }
    drawn = {field: draw(values) for field, values in one_of_each.items()}
    return {field: value for field, value in drawn.items() if value != MISSING}


LESSON_IDS = tuple(lesson_id(book_id, path) for book_id in BOOK_IDS for path in PATHS)


def _maybe(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.none(), st.none(), values)


def queries() -> st.SearchStrategy[BookQuery]:
    levels = st.lists(st.sampled_from(("A2", "B1", "C1")), min_size=1, max_size=2).map(tuple)
    return st.builds(
        BookQuery,
        text=st.sampled_from((*WORDS, "posted", "something else")),
        scope=st.just(READERS[0]),
        limit=st.sampled_from((1, 5, 20, ALL)),
        module=_maybe(st.sampled_from(("ros2", "gazebo", "simulation"))),
        chapter_min=_maybe(st.integers(0, 4)),
        chapter_max=_maybe(st.integers(0, 4)),
        lesson=_maybe(st.integers(0, 3)),
        proficiency_levels=_maybe(levels),
        layer=_maybe(st.sampled_from(("L2", "L4"))),
        parent_doc_id=_maybe(st.sampled_from(LESSON_IDS)),
        mode=st.sampled_from((None, *SEARCH_MODES)),
    )


class Bench:
    """A ledger and a store that many cases share, each in a collection of its own."""

    def __init__(self, ledger: Ledger, store: VectorStore, runner: asyncio.Runner) -> None:
        self._ledger = ledger
        self._store = store
        self._models = EmbeddingModels([FakeEmbedder("minilm", dimensions=16)])
        self.run = runner.run

    @asynccontextmanager
    async def case(self) -> AsyncIterator[Case]:
        world = BookWorld(self._ledger, self._store, self._models)
        try:
            yield Case(world, self._models)
        finally:
            collection = await self._ledger.collections.delete(world.collection_name)
            await self._store.drop(collection.generation.index_id)


@pytest.fixture(params=[memory, embedded], ids=["memory", "embedded"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    stores: Stores = request.param
    with memory_folder() as root, asyncio.Runner() as runner:
        opening = open_copied_ledger(root / "ledger.db")
        ledger = runner.run(opening.__aenter__())
        yield Bench(ledger, stores(ledger), runner)
        runner.run(opening.__aexit__(None, None, None))


@pytest.mark.spec("002 SC-004")
@pytest.mark.spec("002 FR-012")
@pytest.mark.spec("002 FR-013")
@pytest.mark.spec("002 Eval-002")
@trying(short=BOOKS, long=BOOKS)
@given(
    st.tuples(books(), books()),
    st.lists(intruders(), max_size=8),
    st.lists(
        st.tuples(queries(), st.integers(0, 50), st.integers(0, 3)),
        min_size=QUESTIONS,
        max_size=QUESTIONS,
    ),
)
def test_nothing_above_the_tier_or_of_another_book_ever_leaves(
    bench: Bench,
    files: tuple[dict[str, str], dict[str, str]],
    posted: Sequence[Metadata],
    questions: Sequence[tuple[BookQuery, int, int]],
) -> None:
    async def ask() -> None:
        async with bench.case() as case:
            await case.fill(files, posted)
            held = await case.held()
            for reader, (query, which, reach) in itertools.product(READERS, questions):
                await case.check_search(replace(query, scope=reader), held)
                if held:
                    each = held[which % len(held)]
                    await case.check_lesson(reader, each)
                    await case.check_context(reader, each, which, reach)

    bench.run(ask())


@pytest.mark.spec("002 SC-004")
def test_every_way_to_write_a_tier_hides_the_lesson_from_those_below_it(bench: Bench) -> None:
    async def ask() -> None:
        async with bench.case() as case:
            paths = [f"module-1-ros2/chapter-1-x/{n:03}-y.md" for n in range(len(TIERS_AS_WRITTEN))]
            files = {
                path: f"---\n{written}\n---\n{_section('joints')}"
                for path, (written, _) in zip(paths, TIERS_AS_WRITTEN, strict=True)
            }
            await case.fill([files, {}], [])
            for tier, mode in itertools.product((1, 2, 3, 4), SEARCH_MODES):
                scope = BookScope(("robots",), tier)
                found = await case.books.search(BookQuery("joints", scope, limit=ALL, mode=mode))
                seen = {hit.chunk.metadata["source_file"] for hit in found.hits}
                meant = zip(paths, TIERS_AS_WRITTEN, strict=True)
                assert seen == {path for path, (_, least) in meant if least <= tier}
                assert await case.chat_sources(scope, "joints", mode) == seen

    bench.run(ask())


class Leaky(BookScope):
    """Forgets the tier, as a filter that is put together in the wrong way would."""

    @property
    def filter(self) -> Filter:
        return OneOf("book_id", self.book_ids)


def test_a_scope_that_leaks_is_found_out(bench: Bench) -> None:
    async def ask() -> None:
        reader = Leaky(("robots",), 1)
        async with bench.case() as case:
            hidden = f"---\nhardware_tier: 4\n---\n{_section('joints')}"
            await case.fill([{PATHS[0]: hidden}, {}], [])
            [held] = await case.held()
            with pytest.raises(AssertionError, match="let through"):
                await case.check_search(BookQuery("joints", reader), [held])
            with pytest.raises(AssertionError):
                await case.check_lesson(reader, held)
            with pytest.raises(AssertionError):
                await case.check_context(reader, held, at=0, reach=1)

    bench.run(ask())
