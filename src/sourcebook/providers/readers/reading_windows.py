"""Cuts passages into what the reader reads at once, and joins its scores of their parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sourcebook.core.documents import Span, TokenSpans
from sourcebook.core.readings import ReadablePassage, Reading
from sourcebook.providers.inference.tokenizer import Frame, WindowTokenizer
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import TokenWindow

# As in training.
MAX_TOKENS = 400
MAX_QUESTION_TOKENS = 64
MAX_HEADING_TOKENS = 32
_NO_PART = -1


@dataclass(frozen=True, slots=True)
class ReadingWindow:
    """Tokens that are read at once; `parts` names the passage's part of each, -1 for none."""

    tokens: TokenWindow
    parts: tuple[int, ...]


class PairWindows:
    """Makes windows of a question and a passage, each with the passage's heading."""

    def __init__(self, tokenizer: WindowTokenizer) -> None:
        self._tokenizer = tokenizer
        self._frame: Frame = tokenizer.pair_frame()

    def windows(
        self, question: str, passages: Sequence[ReadablePassage]
    ) -> list[list[ReadingWindow]]:
        """The windows of each passage; one that is too long is cut between its parts."""
        texts = [passage.text for passage in passages]
        headings = [passage.heading for passage in passages]
        (asked, *others) = self._tokenizer.placed([question, *texts, *headings])
        return [
            list(
                self._of_passage(
                    asked.ids[:MAX_QUESTION_TOKENS],
                    heading.ids[-MAX_HEADING_TOKENS:],
                    text.ids,
                    part_of_each(text.spans, passage.parts),
                )
            )
            for passage, text, heading in zip(
                passages, others[: len(texts)], others[len(texts) :], strict=True
            )
        ]

    def _of_passage(
        self, question: list[int], heading: list[int], text: list[int], parts: list[int]
    ) -> Iterator[ReadingWindow]:
        room = MAX_TOKENS - self._frame.size - len(question) - len(heading)
        before = len(self._frame.before) + len(question) + len(self._frame.between) + len(heading)
        for start, end in cut_between_parts(parts, room):
            own = text[start:end]
            tokens = self._frame.around(question, [*heading, *own], len(own))
            after = len(tokens.ids) - before - len(own)
            named = (*[_NO_PART] * before, *parts[start:end], *[_NO_PART] * after)
            yield ReadingWindow(tokens, named)


def part_of_each(spans: TokenSpans, parts: Sequence[Span]) -> list[int]:
    """Which part each token is in, -1 for none; parts stand in order and do not overlap."""
    found, number = [], 0
    for start, end in spans:
        while number < len(parts) and parts[number].end <= start:
            number += 1
        inside = number < len(parts) and parts[number].start <= start < end
        found.append(number if inside else _NO_PART)
    return found


def cut_between_parts(parts: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Windows of at most so many tokens that end where a part does, if one does."""
    start, count = 0, len(parts)
    while count - start > room:
        end = start + room
        # A part that fills half a window or more is cut.
        ends = (place for place in range(end, start + room // 2, -1) if _begins(parts, place))
        end = next(ends, end)
        yield start, end
        start = end
    yield start, count


def _begins(parts: Sequence[int], place: int) -> bool:
    return parts[place] != parts[place - 1]


def join_readings(
    rows: Sequence[FloatArray], windows: Sequence[ReadingWindow], count: int
) -> Reading:
    """The reading of a passage from those of its windows: the best relevance, the parts' means."""
    totals, sizes = [0.0] * count, [0] * count
    for row, window in zip(rows, windows, strict=True):
        for part, score in zip(window.parts, row[1:].tolist(), strict=False):
            if part >= 0:
                totals[part] += score
                sizes[part] += 1
    answers = tuple(
        total / size if size else None for total, size in zip(totals, sizes, strict=True)
    )
    return Reading(max(float(row[0]) for row in rows), answers)
