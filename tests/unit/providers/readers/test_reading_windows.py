"""A passage is read in windows that end where its parts do, and its parts keep their scores."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.documents import Span
from sourcebook.core.readings import ReadablePassage
from sourcebook.providers.inference.model_folder import read_model_folder
from sourcebook.providers.inference.tokenizer import WindowTokenizer
from sourcebook.providers.readers import reading_windows
from sourcebook.providers.readers.reading_windows import (
    PairWindows,
    cut_between_parts,
    join_readings,
    part_of_each,
)
from tests.fuzz.profile import trying
from tests.tiny_models import VOCABULARY, save_tiny_embedder


@pytest.fixture
def pairs(tmp_path: Path) -> PairWindows:
    save_tiny_embedder(tmp_path)
    return PairWindows(WindowTokenizer(read_model_folder(tmp_path)))


def ids(*words: str) -> list[int]:
    return [VOCABULARY[word] for word in words]


def test_a_window_holds_the_question_the_heading_and_the_passage(pairs: PairWindows) -> None:
    passage = ReadablePassage("h", "a b c", (Span(0, 3), Span(4, 5)))

    [[window]] = pairs.windows("q", [passage])

    assert list(window.tokens.ids) == ids("[CLS]", "q", "[SEP]", "h", "a", "b", "c", "[SEP]")
    assert list(window.tokens.types) == [0, 0, 0, 1, 1, 1, 1, 1]
    assert window.parts == (-1, -1, -1, -1, 0, 0, 1, -1)


def test_a_long_passage_is_cut_between_its_parts(
    pairs: PairWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_windows, "MAX_TOKENS", 9)
    passage = ReadablePassage("h", "a b c d e", (Span(0, 5), Span(6, 9)))

    [[first, second]] = pairs.windows("q", [passage])

    assert list(first.tokens.ids) == ids("[CLS]", "q", "[SEP]", "h", "a", "b", "c", "[SEP]")
    assert list(second.tokens.ids) == ids("[CLS]", "q", "[SEP]", "h", "d", "e", "[SEP]")
    assert second.parts == (-1, -1, -1, -1, 1, 1, -1)


def test_an_empty_passage_has_one_window(pairs: PairWindows) -> None:
    [[window]] = pairs.windows("q", [ReadablePassage("", "", ())])

    assert list(window.tokens.ids) == ids("[CLS]", "q", "[SEP]", "[SEP]")


@trying(short=100, long=5_000)
@given(st.lists(st.integers(-1, 6), max_size=60).map(sorted), st.integers(1, 20))
def test_the_windows_hold_every_token_once(parts: list[int], room: int) -> None:
    windows = list(cut_between_parts(parts, room))

    assert [place for start, end in windows for place in range(start, end)] == list(
        range(len(parts))
    )
    assert all(end - start <= room for start, end in windows)


def test_a_token_outside_of_all_parts_belongs_to_none() -> None:
    spans = [(0, 1), (2, 3), (4, 5), (6, 6), (7, 8)]

    assert part_of_each(spans, [Span(0, 1), Span(4, 8)]) == [0, -1, 1, -1, 1]


def test_a_part_has_the_mean_score_of_its_tokens_and_the_passage_its_best_relevance(
    pairs: PairWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_windows, "MAX_TOKENS", 8)
    passage = ReadablePassage("h", "a b c d", (Span(0, 1), Span(2, 7), Span(7, 7)))
    [windows] = pairs.windows("q", [passage])
    rows = [
        np.array([relevance, *[9.0] * 4, *scores], dtype=np.float32)
        for relevance, scores in ((1.0, [2.0, 4.0, 5.0, 9.0]), (3.0, [6.0, 9.0, 9.0, 9.0]))
    ]

    reading = join_readings(rows, windows, 3)

    assert reading.relevance == 3.0
    assert reading.answers == (2.0, 5.0, None)
