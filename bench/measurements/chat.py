"""Answers without a language model: the first event, the whole answer, and what the check costs.

The book is the curriculum in SOURCEBOOK_BENCH_DATA with the questions of its quizzes, or else the
sample book with its own. No question is asked twice of the same server, so no cache knows it.
"""

import asyncio
import json
import os
import random
import statistics
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice
from pathlib import Path

from bench.book_servers import BookServer, book_server
from bench.load_clients import put_load
from bench.run import ROUNDS, Run
from bench.stream_load import put_streams
from bench.table import Goal, Row, each, percentile, ratios
from bench.texts import DATA_VARIABLE
from sourcebook.answering.answer_checker import AnswerChecker
from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.statements import read_statements
from sourcebook.text.sentences import split_sentences

CURRICULUM = Path("domain") / "physical_ai_curriculum"
TOP_KS = (5, 20)
CLIENTS = (1, 10)
# For each number of clients a load of each kind, the searches, and the answers that are checked.
LOADS = 2 * len(CLIENTS) + 2
MAX_FIRST_EVENT_MS = 1_000
MAX_ANSWER_MS = 3_000
MAX_CHECK_MS = 5
MAX_LAG_MS = 100


@dataclass(frozen=True, slots=True)
class Book:
    """Pages, and questions about them."""

    pages: Path
    questions: list[str]


@dataclass(slots=True)
class _Found:
    """What was measured with one `top_k`: a value for each round; times in ms."""

    first: dict[int, list[float]] = field(default_factory=lambda: {c: [] for c in CLIENTS})
    text: dict[int, list[float]] = field(default_factory=lambda: {c: [] for c in CLIENTS})
    whole: dict[int, list[float]] = field(default_factory=lambda: {c: [] for c in CLIENTS})
    failures: dict[int, list[float]] = field(default_factory=lambda: {c: [] for c in CLIENTS})
    usual: list[float] = field(default_factory=list)
    search: list[float] = field(default_factory=list)
    check: list[float] = field(default_factory=list)
    lag: list[float] = field(default_factory=list)


def measure(run: Run) -> list[Row]:
    """Few hits and many, one client and ten."""
    book = read_book()
    with book_server(run.folder, DOCS_PATH=str(book.pages)) as server:
        server.ingest()
    found = {top_k: _Found() for top_k in TOP_KS}
    for number in range(ROUNDS):
        asked = random.Random(number).sample(book.questions, len(book.questions))  # noqa: S311
        each_load = min(len(asked) // LOADS, run.amount(40, 10))
        for top_k in TOP_KS:
            _round(run.folder, iter(asked), each_load, top_k, found[top_k])
    return [row for top_k in TOP_KS for row in _rows(top_k, found[top_k])]


def read_book() -> Book:
    """The curriculum in the folder of the benchmark's data, else the sample book."""
    data = os.environ.get(DATA_VARIABLE)
    folder = Path(data) / CURRICULUM if data else None
    if folder is None or not folder.exists():
        sample = Path(str(files("sourcebook.samples") / "book"))
        return Book(sample, _questions(sample / "questions.jsonl", "question"))
    return Book(folder / "book", _questions(folder / "questions.jsonl", "prompt"))


def _questions(path: Path, name: str) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return list(dict.fromkeys(json.loads(line)[name] for line in lines))


def _round(folder: Path, questions: Iterator[str], count: int, top_k: int, found: _Found) -> None:
    """A server that was just started, so that it has answered nothing yet."""
    lags = folder / "lags.json"
    probed = {"module": "bench.loop_lag_server", "BENCH_LAG_FILE": str(lags)}
    with book_server(folder, API_RATE_LIMIT="0", **probed) as server:
        url = server.server.url
        for clients in CLIENTS:
            bodies = [{"query": one, "top_k": top_k} for one in islice(questions, 2 * count)]
            streamed = put_streams(f"{url}/chat/stream", clients, bodies[:count])
            answered = put_load(f"{url}/chat", clients, bodies[count:])
            found.first[clients].append(percentile(streamed.first_ms, 0.95))
            found.text[clients].append(percentile(streamed.text_ms, 0.95))
            found.whole[clients].append(percentile(answered.latencies_ms, 0.95))
            found.failures[clients].append(len(streamed.failed) + answered.failures)
            for failure in streamed.failed:
                print(f"{clients} clients, top_k {top_k}: {failure.decode()}")
            if clients == 1:
                found.usual.append(statistics.median(answered.latencies_ms))
        bodies = [{"query": one, "limit": top_k} for one in islice(questions, count)]
        searched = put_load(f"{url}/search", 1, bodies)
        found.search.append(statistics.median(searched.latencies_ms))
        found.check.append(_check_ms(server, list(islice(questions, count)), top_k))
    found.lag.append(max(json.loads(lags.read_text("utf-8"))))


def _check_ms(server: BookServer, questions: Sequence[str], top_k: int) -> float:
    """How long the check takes for a sentence of an answer, with reading the evidence for it."""
    taken_s, sentences = 0.0, 0
    for question in questions:
        answer = server.server.post("/chat", {"query": question, "top_k": top_k})
        if not answer["sources"]:
            continue
        hits = server.server.post("/search", {"query": question, "limit": top_k})["results"]
        passages = [
            Passage(number, hit["text"], Source("", "", ""), hit["score"])
            for number, hit in enumerate(hits, 1)
        ]
        quotable = read_statements(passages)
        started_s = time.perf_counter()
        released = asyncio.run(_released(AnswerChecker(passages, quotable), answer["answer"]))
        taken_s += time.perf_counter() - started_s
        sentences += len(split_sentences(released))
    return taken_s * 1000 / sentences


async def _released(checker: AnswerChecker, answer: str) -> str:
    async def pieces() -> AsyncGenerator[str]:
        yield answer

    return "".join([sentence async for sentence in checker.released(pieces())])


def _rows(top_k: int, found: _Found) -> Iterator[Row]:
    for clients in CLIENTS:
        by = f"top_k {top_k}, {clients} client{'s' if clients > 1 else ''}"
        goal = Goal("<=", MAX_FIRST_EVENT_MS, "ms")
        yield Row(
            f"`/chat/stream`, {by}: first event, p95 (004 SC-002)", found.first[clients], goal, "ms"
        )
        yield Row(f"`/chat/stream`, {by}: first text, p95", found.text[clients], None, "ms")
        goal = Goal("<=", MAX_ANSWER_MS, "ms")
        yield Row(
            f"`/chat`, {by}: whole answer, p95 (004 SC-001)", found.whole[clients], goal, "ms"
        )
        # All rounds together: a median would hide the failure of one.
        failures = [sum(found.failures[clients])]
        yield Row(f"chat, {by}: failures (004 SC-010)", failures, Goal("<=", 0, ""), "")
    yield Row(
        f"`/chat` beside `/search`, top_k {top_k}, 1 client, median",
        ratios(found.usual, found.search),
        ours=f"{each(found.usual, 'ms')} beside {each(found.search, 'ms')}",
    )
    yield Row(
        f"the check, top_k {top_k}: for each sentence",
        found.check,
        Goal("<=", MAX_CHECK_MS, "ms"),
        "ms",
    )
    yield Row(
        f"all that, top_k {top_k}: longest lag inside",
        found.lag,
        Goal("<=", MAX_LAG_MS, "ms"),
        "ms",
    )
