"""The sets behind the goals: how each is indexed, asked and scored."""

import json
import tarfile
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bench.goals.code_words import write_lessons
from sourcebook.cli.eval_index import indexed_documents
from sourcebook.cli.eval_target import Scope, ServiceTarget
from sourcebook.evaluation.confidence import Estimate, estimate
from sourcebook.evaluation.question_files import parse_fields, read_questions
from sourcebook.evaluation.questions import JudgedQuestion
from sourcebook.evaluation.report import Side, summarise
from sourcebook.evaluation.runs import Outcome, ask_all
from sourcebook.service.config.settings import load_settings

SCIFACT = Path("retrieval/scifact/beir")
CURRICULUM = Path("domain/physical_ai_curriculum")
MTRAG = Path("conversational/mtrag_cloud")
BOOKS = Path("markdown")
TERMS = Path(__file__).parent / "exact_terms.jsonl"


@dataclass(frozen=True, slots=True)
class Scored:
    """A figure with its interval, and the search times behind it."""

    questions: int
    result: Estimate
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """Where the public sets are, how to search, and where to keep indexes between runs."""

    data: Path
    mode: str | None = None
    keep: Path | None = None

    @asynccontextmanager
    async def target(self, name: str, documents: Path) -> AsyncIterator[ServiceTarget]:
        """Index the documents and open what searches them."""
        keep = None if self.keep is None else self.keep / name
        settings = load_settings(log_level="error")
        async with indexed_documents(settings, documents, keep=keep) as (http, collection):
            yield ServiceTarget(http, Scope(collection=collection, mode=self.mode))


Measurement: TypeAlias = Callable[[Run], Awaitable[Scored]]


async def scifact(run: Run) -> Scored:
    """Claims about science, and the abstracts that they cite."""
    questions = read_questions(run.data / SCIFACT).questions
    side = await _asked(run, "scifact", run.data / SCIFACT, questions)
    return _metric(side, "ndcg")


async def curriculum(run: Run) -> Scored:
    """Quiz questions, and the lessons that they belong to."""
    fields = parse_fields("question=prompt,relevant=gold_lesson")
    questions = read_questions(run.data / CURRICULUM / "questions.jsonl", fields=fields).questions
    side = await _asked(run, "curriculum", run.data / CURRICULUM / "book", questions)
    return _metric(side, "ndcg")


async def follow_ups(run: Run) -> Scored:
    """Questions that follow others in a conversation; those are given, as in a chat."""
    folder = run.data / MTRAG
    everything = read_questions(folder / "cloud_questions.jsonl", qrels=folder / "qrels_dev.tsv")
    questions = [one for one in everything.questions if one.earlier]
    side = await _asked(run, "mtrag", folder / "corpus_pooled.jsonl", questions)
    return _metric(side, "r5")


async def exact_terms(run: Run) -> Scored:
    """Identifiers, flags and error messages; the first hit must hold them to the letter."""
    lines = [json.loads(line) for line in TERMS.read_text("utf-8").splitlines()]
    outcomes: list[Outcome] = []
    for book in dict.fromkeys(line["book"] for line in lines):
        terms = [line["term"] for line in lines if line["book"] == book]
        questions = [JudgedQuestion(term, term) for term in terms]
        with tempfile.TemporaryDirectory(prefix="sourcebook-goals-") as folder:
            with tarfile.open(run.data / BOOKS / f"{book}.tar.xz") as archive:
                archive.extractall(folder, filter="data")
            async with run.target(book, Path(folder)) as target:
                outcomes += (await ask_all([target], questions))[0]
    return _share(outcomes, lambda one: bool(one.hits) and one.question.text in one.hits[0].text)


async def code_words(run: Run) -> Scored:
    """Lessons that differ in one word; the one with the asked word must be first."""
    with tempfile.TemporaryDirectory(prefix="sourcebook-goals-") as folder:
        questions = write_lessons(Path(folder))
        side = await _asked(run, "code-words", Path(folder), questions)
    return _share(side.outcomes, lambda one: one.rank == 1)


async def _asked(run: Run, name: str, documents: Path, questions: Sequence[JudgedQuestion]) -> Side:
    async with run.target(name, documents) as target:
        (outcomes,) = await ask_all([target], questions)
    return summarise(name, outcomes)


def _metric(side: Side, name: str) -> Scored:
    everything = side.groups[0]
    return Scored(everything.count, everything.metrics[name], side.p50_ms, side.p95_ms)


def _share(outcomes: Sequence[Outcome], is_right: Callable[[Outcome], bool]) -> Scored:
    side = summarise("", outcomes)
    right = [float(is_right(one)) for one in outcomes]
    for one, value in zip(outcomes, right, strict=True):
        if not value:
            print(f"  not first: {one.question.text}")
    found = estimate(right, [one.question.id for one in outcomes])
    return Scored(len(outcomes), found, side.p50_ms, side.p95_ms)
