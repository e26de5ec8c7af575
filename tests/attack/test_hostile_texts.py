"""A hostile selection or a hostile model costs time in proportion, and never the event loop's."""

import asyncio
import gc
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress

import pytest

from sourcebook.answering.answer_checker import AnswerChecker
from sourcebook.answering.citation_markers import without_markers
from sourcebook.answering.evidence import selection_evidence
from sourcebook.answering.statements import read_statements
from sourcebook.answering.url_allow_list import urls_are_quoted
from sourcebook.core.errors import ReplyCutOff
from sourcebook.ingestion.self_test.questions import first_sentence
from sourcebook.text.sentences import SentenceStream, split_sentences
from tests.attack import LONG
from tests.attack.hostile_texts import hostile_texts
from tests.unit.answering.passages import GAZEBO

LENGTH = 32_000 if LONG else 6_000
# What takes less CPU time than this is not measured any closer.
UNSUSPICIOUS_S = 0.1
MAX_GROWTH = 10.0
MAX_LOOP_S = 0.1
EVIDENCE = selection_evidence(GAZEBO)


@pytest.fixture(autouse=True)
def _no_garbage_collection() -> Iterator[None]:
    """What other tests have left in this process takes long to walk over, and is not measured."""
    gc.disable()
    yield
    gc.enable()


async def pieces_of(text: str) -> AsyncGenerator[str]:
    for at in range(0, len(text), 64):
        yield text[at : at + 64]
        await asyncio.sleep(0)


def streamed(text: str) -> None:
    stream = SentenceStream()
    for at in range(0, len(text), 8):
        stream.feed(text[at : at + 8])
    stream.rest()


def checked(text: str) -> None:
    AnswerChecker(EVIDENCE, read_statements(EVIDENCE))._checked(text)


READERS: dict[str, Callable[[str], object]] = {
    "sentences": split_sentences,
    "stream": streamed,
    "markers": without_markers,
    "addresses": lambda text: urls_are_quoted(text, [GAZEBO] * 5),
    "statements": lambda text: read_statements(selection_evidence(text)),
    "claim": checked,
    "self-test": first_sentence,
}


def cpu_s(read: Callable[[str], object], text: str) -> float:
    started_s = time.thread_time()
    read(text)
    return time.thread_time() - started_s


@pytest.mark.parametrize("reader", READERS)
def test_a_hostile_text_is_read_in_proportion_to_its_length(reader: str) -> None:
    read = READERS[reader]
    for text in hostile_texts(LENGTH):
        if cpu_s(read, text) < UNSUSPICIOUS_S:
            continue
        longer = min(cpu_s(read, text) for _ in range(2))
        shorter = min(cpu_s(read, text[: len(text) // 4]) for _ in range(2))
        assert longer / max(shorter, 1e-6) < MAX_GROWTH, text[:40]


@pytest.fixture
def loop_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The CPU time of every callback of the event loop: what others had to wait for."""
    spent: list[float] = []
    run = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        started_s = time.thread_time()
        run(handle)
        spent.append(time.thread_time() - started_s)

    monkeypatch.setattr(asyncio.Handle, "_run", timed)
    return spent


async def test_no_hostile_model_keeps_the_event_loop(loop_s: list[float]) -> None:
    for text in hostile_texts(LENGTH):
        checker = AnswerChecker(EVIDENCE, read_statements(EVIDENCE))
        loop_s.clear()
        with suppress(ReplyCutOff):
            async for _ in checker.released(pieces_of(text)):
                pass
        assert max(loop_s) < MAX_LOOP_S, text[:40]
