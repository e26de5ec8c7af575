"""The check of an answer against its evidence, and refusals where the evidence is missing.

With SOURCEBOOK_BENCH_DATA on BEGIN (is a response attributable to its knowledge?) and ClapNQ (does
a passage answer a question?), if they are there; always on the sample book.
"""

import asyncio
import csv
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from operator import mul
from pathlib import Path

from bench.bundled_model import open_bundled_model
from bench.classification import ScoredCase, auc, balanced_accuracy, held_out, passed
from bench.run import ROUNDS, Run
from bench.table import Goal, Row
from bench.texts import DATA_VARIABLE
from sourcebook.answering.proof.closest import closeness
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.refusal import REFUSAL_THRESHOLD, sufficiency
from sourcebook.answering.statements import Statement
from sourcebook.core.ports import Embedder
from sourcebook.core.vectors import Vector
from sourcebook.search.words import content_words
from sourcebook.text.sentences import split_sentences

STATEMENTS = 150
LONG_STATEMENTS = 11
_LONG = (
    "The {0} shall pay the rent, the service charge, the insurance premium, the water rate and "
    "the heating cost on the first day of each month, and the lessor shall maintain the roof, the "
    "stairs, the lift, the cellar and the garden, unless the {0}, his family, his guests or his "
    "staff caused the damage, in which case the {0} shall bear the cost of the repair and inform "
    "the lessor in writing within {1} days."
)
HITS = 5
# The score of what is proven, and how much being close counts at most.
PROVEN, CLOSE = 1.0, 0.95
_BOOK = Path(str(files("sourcebook.samples") / "book"))


@dataclass(frozen=True, slots=True)
class _Response:
    """A line of BEGIN."""

    generator: str
    origin: str
    judged: ScoredCase


def measure(run: Run) -> list[Row]:
    """Support, refusal, and how long a claim takes."""
    folder = os.environ.get(DATA_VARIABLE)
    data = Path(folder) / "grounding" if folder else None
    rows = []
    if data and (data / "begin_dev").is_dir():
        rows += _support(list(_responses(data / "begin_dev"))[:: run.amount(1, 5)])
    clapnq = list(_questions(data / "clapnq_dev"))[:: run.amount(1, 5)] if data else []
    return [*rows, *asyncio.run(_refusal(clapnq)), _duration(), _duration_of_long_claims()]


def _support(responses: Sequence[_Response]) -> list[Row]:
    cases = [response.judged for response in responses]
    hardest = [one.judged for one in responses if (one.generator, one.origin) == ("ctrl", "wow")]
    of = f"{len(cases)} responses"
    rows = [
        Row("BEGIN, ROC AUC", [auc(cases)], Goal(">=", 0.95, ""), "", of),
        Row(
            "BEGIN, ROC AUC within ctrl on wow",
            [auc(hardest)],
            Goal(">=", 0.82, ""),
            "",
            f"{len(hardest)} responses",
        ),
    ]
    for origin in sorted({one.origin for one in responses}):
        some = [one.judged for one in responses if one.origin == origin]
        rows.append(Row(f"BEGIN, ROC AUC on {origin}", [auc(some)], None, ""))
    return [
        *rows,
        Row("BEGIN, attributable and proven", [passed(cases, PROVEN, right=True)], None, ""),
        Row("BEGIN, not attributable but proven", [passed(cases, PROVEN, right=False)], None, ""),
    ]


def _responses(folder: Path) -> Iterator[_Response]:
    for path in sorted(folder.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines, delimiter="\t"):
                right = line["begin_label"].strip() == "Fully attributable"
                score = _score(line["response"], line["knowledge"])
                judged = ScoredCase(score, right, line["knowledge"])
                yield _Response(line["model_name"], line["data_source"], judged)


def _score(response: str, knowledge: str) -> float:
    """The sentences' scores by length: two words of filler must not decide about a long answer."""
    statements = _statements(1, knowledge)
    prover = Prover(statements)
    scored = [
        (max(1, len(content_words(one.text))), _sentence_score(one.text, prover, statements))
        for one in split_sentences(response)
    ]
    total = sum(weight for weight, _ in scored)
    return sum(weight * score for weight, score in scored) / total if total else 0.0


def _sentence_score(sentence: str, prover: Prover, statements: Sequence[Statement]) -> float:
    """1 if it is proven, else how near it comes to a statement."""
    return PROVEN if prover.prove(sentence) else CLOSE * closeness(sentence, statements)


async def _refusal(clapnq: Sequence[tuple[str, str, bool]]) -> list[Row]:
    async with open_bundled_model("f32") as embedder:
        rows = await _near_misses(embedder, clapnq) if clapnq else []
        return [*rows, *await _sample_book(embedder, [question for question, _, _ in clapnq])]


async def _near_misses(embedder: Embedder, asked: Sequence[tuple[str, str, bool]]) -> list[Row]:
    vectors = await _vectors(embedder, [text for _, text, _ in asked])
    cases = []
    for (question, text, right), vector in zip(asked, vectors, strict=True):
        cosine = _cosine(await embedder.embed_query(question), vector)
        score = sufficiency(question, cosine, _statements(1, text))
        cases.append(ScoredCase(score, right, question))
    seeds = [held_out(cases, seed) for seed in range(ROUNDS)]
    return [
        Row("ClapNQ, ROC AUC", [auc(cases)], None, "", f"{len(cases)} questions"),
        Row("ClapNQ, balanced accuracy, threshold held out", seeds, Goal(">=", 0.83, ""), ""),
        Row(
            "ClapNQ, balanced accuracy",
            [balanced_accuracy(cases, REFUSAL_THRESHOLD)],
            None,
            "",
            f"at {REFUSAL_THRESHOLD}",
        ),
        Row("ClapNQ, false refusals", [1 - passed(cases, REFUSAL_THRESHOLD, right=True)], None, ""),
        Row(
            "ClapNQ, unanswerable and refused",
            [1 - passed(cases, REFUSAL_THRESHOLD, right=False)],
            None,
            "",
        ),
    ]


def _questions(folder: Path) -> Iterator[tuple[str, str, bool]]:
    for name, right in (("answerable", True), ("unanswerable", False)):
        path = folder / f"clapnq_dev_{name}.jsonl"
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            case = json.loads(line)
            yield case["input"], case["passages"][0]["text"], right


async def _sample_book(embedder: Embedder, strange: Sequence[str]) -> list[Row]:
    parts = (part for lesson in _lessons() for part in re.split(r"(?m)^(?=##? )", lesson))
    sections = [part for part in parts if part.strip()]
    vectors = await _vectors(embedder, sections)

    async def answered(question: str) -> bool:
        vector = await embedder.embed_query(question)
        nearest = sorted(((_cosine(vector, one), n) for n, one in enumerate(vectors)), reverse=True)
        found = [one for _, n in nearest[:HITS] for one in _statements(n, sections[n])]
        return sufficiency(question, nearest[0][0], found) >= REFUSAL_THRESHOLD

    own = [await answered(json.loads(line)["question"]) for line in _own_questions()]
    rows = [
        Row(
            "sample book, own questions answered",
            [sum(own) / len(own)],
            None,
            "",
            f"{len(own)} questions",
        )
    ]
    if strange:
        others = [await answered(question) for question in strange]
        refused = 1 - sum(others) / len(others)
        rows.append(
            Row(
                "sample book, ClapNQ's questions refused",
                [refused],
                None,
                "",
                f"{len(others)} questions",
            )
        )
    return rows


def _lessons() -> list[str]:
    pages = sorted(_BOOK.rglob("*.md"))
    return [page.read_text("utf-8").split("\n---\n", 1)[1] for page in pages]


def _own_questions() -> list[str]:
    return (_BOOK / "questions.jsonl").read_text("utf-8").splitlines()


def _duration() -> Row:
    statements = _statements(1, "\n\n".join(_lessons()))[:STATEMENTS]
    prover = Prover(statements)
    taken_ms = []
    for _ in range(ROUNDS):
        started_s = time.perf_counter()
        for one in statements:
            # Not a copy, so that all of the check runs.
            prover.prove(f"{one.text} indeed")
        taken_ms.append((time.perf_counter() - started_s) * 1000 / len(statements))
    return Row(f"a claim against {STATEMENTS} statements", taken_ms, Goal("<=", 5, "ms"), "ms")


def _duration_of_long_claims() -> Row:
    """A lawyer's sentences: many commas are many ways to read them."""
    taken_ms = []
    for number in range(ROUNDS):
        # Other words each time, so that nothing is remembered.
        texts = [_LONG.format(f"lessee{number}x{one}", one) for one in range(1, LONG_STATEMENTS)]
        prover = Prover(_statements(1, " ".join(texts)))
        started_s = time.perf_counter()
        for text in texts:
            prover.prove(text.replace(" and ", " but "))
        taken_ms.append((time.perf_counter() - started_s) * 1000 / len(texts))
    return Row("a claim of 70 words against 10 such", taken_ms, Goal("<=", 200, "ms"), "ms")


def _statements(passage: int, text: str) -> list[Statement]:
    return [Statement(passage, one.start, one.end, one.text, None) for one in split_sentences(text)]


async def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[list[Vector]]:
    return [list(embedding) for embedding in await embedder.embed_documents(texts)]


def _cosine(vector: Vector, embedding: Sequence[Vector]) -> float:
    return max(float(sum(map(mul, vector, one))) for one in embedding)
