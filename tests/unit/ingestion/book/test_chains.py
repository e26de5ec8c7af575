"""Lessons are edited again and again: after every run their chunks are whole, sound chains."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.documents import Chunk, WholeDocument
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import MODES, IngestMode
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.upkeep.verifier import Verifier
from tests.books import ARMS, ROS, BookWorld
from tests.fakes import FakeEmbedder
from tests.fuzz.profile import trying
from tests.ledgers import open_copied_ledger
from tests.memory_store import MemoryStore

FRONT = "---\ntitle: A\nhardware_tier: 2\n---\n"
# Words in a paragraph: crumbs that are joined, sections of their own, and some to be torn apart.
LENGTHS = (3, 30, 90, 130, 250, 600)


@dataclass(frozen=True)
class Section:
    """A heading and the paragraphs below it; level 0 stands for no heading."""

    title: str
    paragraphs: tuple[str, ...]
    level: int = 2

    def __str__(self) -> str:
        heading = [f"{'#' * self.level} {self.title}"] if self.level else []
        return "\n\n".join([*heading, *self.paragraphs])


Lesson: TypeAlias = tuple[Section, ...]
Edit: TypeAlias = Callable[[Lesson, int, int], Lesson]


def text_of(lesson: Lesson) -> str:
    return FRONT + "\n\n".join(map(str, lesson)) + "\n"


def paragraph(number: int) -> str:
    """One of a few, so that the same one often comes twice."""
    words = (f"w{number % 9}n{n}" for n in range(LENGTHS[number % len(LENGTHS)]))
    return " ".join(words) + "."


def section(number: int) -> Section:
    return Section(f"Part {number % 5}", (paragraph(number), paragraph(number + 1)))


def insert(lesson: Lesson, at: int, number: int) -> Lesson:
    at %= len(lesson) + 1
    return (*lesson[:at], section(number), *lesson[at:])


def delete(lesson: Lesson, at: int, _: int) -> Lesson:
    at %= len(lesson)
    return lesson[:at] + lesson[at + 1 :]


def move(lesson: Lesson, at: int, to: int) -> Lesson:
    rest = delete(lesson, at, 0)
    to %= len(lesson)
    return (*rest[:to], lesson[at % len(lesson)], *rest[to:])


def merge(lesson: Lesson, at: int, _: int) -> Lesson:
    """Take a heading away; what stood below it belongs to the section before."""
    return _changed(lesson, at, lambda it: replace(it, level=0))


def split(lesson: Lesson, at: int, number: int) -> Lesson:
    at %= len(lesson)
    it = lesson[at]
    first = replace(it, paragraphs=it.paragraphs[:1])
    rest = Section(f"Split {number % 3}", it.paragraphs[1:])
    return (*lesson[:at], first, rest, *lesson[at + 1 :])


def retitle(lesson: Lesson, at: int, number: int) -> Lesson:
    return _changed(lesson, at, lambda it: replace(it, title=f"Other {number % 3}"))


def relevel(lesson: Lesson, at: int, number: int) -> Lesson:
    return _changed(lesson, at, lambda it: replace(it, level=1 + number % 4))


def duplicate(lesson: Lesson, at: int, number: int) -> Lesson:
    """The same paragraph several times in a row."""
    again = (paragraph(number),) * 3
    return _changed(lesson, at, lambda it: replace(it, paragraphs=it.paragraphs + again))


def repeat(lesson: Lesson, at: int, to: int) -> Lesson:
    """The same section once more, elsewhere."""
    to %= len(lesson) + 1
    return (*lesson[:to], lesson[at % len(lesson)], *lesson[to:])


def rewrite(lesson: Lesson, at: int, number: int) -> Lesson:
    return _changed(lesson, at, lambda it: replace(it, paragraphs=(paragraph(number),)))


def clear(_: Lesson, __: int, ___: int) -> Lesson:
    return ()


def _changed(lesson: Lesson, at: int, change: Callable[[Section], Section]) -> Lesson:
    at %= len(lesson)
    return (*lesson[:at], change(lesson[at]), *lesson[at + 1 :])


EDITS: Sequence[Edit] = (
    insert, insert, delete, move, merge, split, retitle, relevel, duplicate, repeat, rewrite, clear,
)  # fmt: skip


@dataclass(frozen=True)
class Round:
    """Some edits to each lesson, then a run."""

    edits: tuple[tuple[str, Edit, int, int], ...]
    mode: IngestMode


def rounds() -> st.SearchStrategy[Round]:
    numbers = st.integers(0, 30)
    edit = st.tuples(st.sampled_from((ROS, ARMS)), st.sampled_from(EDITS), numbers, numbers)
    edits = st.lists(edit, min_size=1, max_size=4).map(tuple)
    return st.builds(Round, edits, st.sampled_from(("incremental", *MODES)))


def walked(chunks: Sequence[Chunk], *, backwards: bool) -> list[str]:
    """The ids in the order in which the links lead from one end to the other."""
    by_id = {chunk.id: chunk for chunk in chunks}
    ends = [c for c in chunks if (c.links.next if backwards else c.links.previous) is None]
    assert len(ends) == 1
    ids: list[str] = []
    at: str | None = ends[0].id
    while at is not None:
        assert at not in ids, "the chain is a circle"
        ids.append(at)
        at = by_id[at].links.previous if backwards else by_id[at].links.next
    return ids


def check_chain(lesson: WholeDocument, text: str) -> None:
    """One head, one tail, no gap, in reading order, and every character is in some chunk."""
    assert lesson.document.text == text
    chunks = lesson.chunks
    ids = [chunk.id for chunk in chunks]
    assert len(ids) == len(set(ids))
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    if chunks:
        assert walked(chunks, backwards=False) == ids
        assert walked(chunks, backwards=True) == ids[::-1]
        assert {chunk.links.total for chunk in chunks} == {len(ids)}
    covered: set[int] = set()
    for chunk in chunks:
        assert chunk.extent is not None
        spans = chunk.extent.spans
        assert chunk.text == "".join(text[span.start : span.end] for span in spans)
        covered.update(at for span in spans for at in range(span.start, span.end))
    lost = [at for at in range(len(FRONT), len(text)) if at not in covered]
    assert not "".join(text[at] for at in lost).strip(), "some text is in no chunk"


def ids_by_text(lesson: WholeDocument | None) -> Mapping[str, list[str]]:
    """The ids of the chunks that hold a text, the first first."""
    found: dict[str, list[str]] = {}
    for chunk in lesson.chunks if lesson is not None else ():
        found.setdefault(chunk.text, []).append(chunk.id)
    return found


def check_ids(before: WholeDocument | None, after: WholeDocument) -> None:
    """A text that was there before has the id that it had; a second copy, that of the second."""
    known = ids_by_text(before)
    for text, ids in ids_by_text(after).items():
        both = min(len(ids), len(known.get(text, ())))
        assert ids[:both] == known.get(text, [])[:both]


class Bench:
    """One ledger for all cases; each has the book's collection to itself."""

    def __init__(self, ledger: Ledger, runner: asyncio.Runner) -> None:
        self._ledger = ledger
        self.run = runner.run

    @asynccontextmanager
    async def world(self) -> AsyncIterator[BookWorld]:
        models = EmbeddingModels([FakeEmbedder("minilm", dimensions=8)])
        try:
            yield BookWorld(self._ledger, MemoryStore(), models)
        finally:
            for collection in await self._ledger.collections.all(hidden=True):
                if collection.state == "live":
                    await self._ledger.collections.delete(collection.name)
                else:
                    await self._ledger.collections.discard(collection.id)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with TemporaryDirectory() as folder, asyncio.Runner() as runner:
        opening = open_copied_ledger(Path(folder) / "ledger.db")
        ledger = runner.run(opening.__aenter__())
        yield Bench(ledger, runner)
        runner.run(opening.__aexit__(None, None, None))


@pytest.mark.spec("002 FR-006")
@pytest.mark.spec("002 Edge: document structure")
@pytest.mark.spec("002 SC-005")
@trying(short=15, long=1_000)
@given(st.lists(rounds(), min_size=2, max_size=6))
def test_every_chain_is_whole_after_every_run(bench: Bench, rounds: Sequence[Round]) -> None:
    async def edit() -> None:
        lessons: dict[str, Lesson] = {path: (section(0), section(3)) for path in (ROS, ARMS)}
        async with bench.world() as world:
            for each in rounds:
                for path, change, at, number in each.edits:
                    if lessons[path] or change is insert:
                        lessons[path] = change(lessons[path], at, number)
                for path, lesson in lessons.items():
                    world.source.write(path, text_of(lesson))
                await run_and_check(world, each.mode)

    bench.run(edit())


async def run_and_check(world: BookWorld, mode: IngestMode) -> None:
    is_new = await world.book_collection.find() is None
    before = {path: None if is_new else await world.lesson(path) for path in (ROS, ARMS)}
    job = await world.ingest(mode)
    assert job.status == "completed"
    after = [await world.lesson(path) for path in (ROS, ARMS)]
    for path, lesson in zip((ROS, ARMS), after, strict=True):
        assert lesson is not None
        check_chain(lesson, world.source.files[path].decode())
        check_ids(before[path], lesson)
    ids = [chunk.id for lesson in after if lesson is not None for chunk in lesson.chunks]
    assert len(ids) == len(set(ids))
    findings = await Verifier(world.ledger, world.store).verify()
    assert all(found.clean for found in findings), findings


def test_the_check_tells_a_broken_chain_and_a_lost_text() -> None:
    async def look(world: BookWorld) -> WholeDocument:
        world.source.write(ROS, text_of(tuple(section(n) for n in range(6))))
        await world.ingest()
        lesson = await world.lesson(ROS)
        assert lesson is not None
        return lesson

    async def check() -> None:
        async with bench_of_one() as world:
            lesson = await look(world)
        text = lesson.document.text
        check_chain(lesson, text)
        first, second, *rest = lesson.chunks
        lost_link = replace(second, links=replace(second.links, next=None))
        for broken in ((second, *rest), (second, first, *rest), (first, lost_link, *rest)):
            with pytest.raises(AssertionError):
                check_chain(replace(lesson, chunks=tuple(broken)), text)
        with pytest.raises(AssertionError):
            check_ids(lesson, replace(lesson, chunks=(replace(first, id="x"), second, *rest)))

    asyncio.run(check())


@asynccontextmanager
async def bench_of_one() -> AsyncIterator[BookWorld]:
    with TemporaryDirectory() as folder:
        async with open_copied_ledger(Path(folder) / "ledger.db") as ledger:
            models = EmbeddingModels([FakeEmbedder("minilm", dimensions=8)])
            yield BookWorld(ledger, MemoryStore(), models)
