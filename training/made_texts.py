"""What a language model is told to write, and what counts of that: texts, and questions for them.

It learns from the texts and questions that were written one by one. What it writes is less good,
but there can be a hundred times as much of it, and which questions a text answers is for the
language model that reads to say.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tokenizers import Tokenizer

from training.prepared import Line
from training.sources import HELD_OUT_CORPORA, WRITTEN

QUESTIONS_OF_EACH = 7
# Of what is written about a passage so many are kept: other passages teach more.
ASKED_OF_EACH = 5
# So many lessons of documentation in each reading, and of texts that are wanted so many are such.
DOCUMENTATION_LESSONS = 2_500
DOCUMENTATION_SHARE = 0.6
DOCUMENTATION = "documentation"
MAX_TEXT_TOKENS = 448
MIN_LETTERS, MAX_LETTERS = 250, 1_200
MIN_WORDS, MAX_WORDS = 40, 400
MAX_HEADING_WORDS = 6
# The documentations that books are asked about in `bench/questions` are left out, too.
NOT_ASKED = (*HELD_OUT_CORPORA, "k8s", "rust")
# Software that documentation is invented for; none that books are asked about, or that is measured.
SOFTWARE = tuple(Path(__file__).with_name("software.txt").read_text(encoding="utf-8").splitlines())
_END = "<|im_end|>"
_ANSWERED, _MISSED = ("asked", "written"), ("asked_miss", "written_miss")
_QUESTIONS = "Write questions that this text answers, then questions that it nearly answers."
_FIRST, _SECOND = "Answered:", "Not answered:"
_LINE = re.compile(r"^- (.+)$", re.MULTILINE)
_ANCHOR = re.compile(r"\s*\{[^{}]*\}")
_ENDS = re.compile(r"\n|(?<=[.!?]) ")
_NAMES = {
    "18f": "the 18F handbook",
    "django": "Django",
    "fastapi": "FastAPI",
    "github": "GitHub",
    "owasp": "the OWASP cheat sheets",
    "react": "React",
    "ros2": "ROS 2",
    "sklearn": "scikit-learn",
}


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the model is told, and what it should write."""

    told: str
    written: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the model is told to write a text, and the corpus that the text is of."""

    told: str
    corpus: str


class WriterTokenizer:
    """Turns lessons into ids, and what was written back into text."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        (self.end,) = self._ids(_END)

    def told(self, text: str) -> list[int]:
        """What the model reads before it writes."""
        return self._ids(f"<|im_start|>user\n{text}{_END}\n<|im_start|>assistant\n")

    def row(self, lesson: Lesson) -> tuple[list[int], list[int]]:
        """The ids, and for each what should come next: -1 for what is told."""
        told = self.told(lesson.told)
        written = [*self._ids(lesson.written), self.end]
        ids = [*told, *written]
        return ids[:-1], [-1] * (len(told) - 1) + written

    def text(self, ids: Sequence[int]) -> str:
        """What was written."""
        return str(self._tokenizer.decode(list(ids)))

    def cut(self, text: str) -> str:
        """As much of a text as is read."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        if len(encoding.ids) <= MAX_TEXT_TOKENS:
            return text
        return text[: encoding.offsets[MAX_TEXT_TOKENS - 1][1]]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


class Lessons:
    """Lessons from the texts and questions that `training.prepare` wrote, and documentation.

    Each lesson of questions shows so many of each kind. Without documentation, none are of texts.
    """

    def __init__(
        self,
        passages: Sequence[Line],
        examples: Sequence[Line],
        documentation: Sequence[Line],
        questions_of_each: int = QUESTIONS_OF_EACH,
    ) -> None:
        self._questions_of_each = questions_of_each
        self._answered: dict[int, list[str]] = defaultdict(list)
        self._missed: dict[int, list[str]] = defaultdict(list)
        for one in examples:
            if one["kind"] in _ANSWERED:
                self._answered[one["passage"]].append(one["question"])
            elif one["kind"] in _MISSED:
                self._missed[one["passage"]].append(one["question"])
        self._passages = [
            one for one in passages if self._answered[one["id"]] and self._missed[one["id"]]
        ]
        self._texts = [one for one in passages if one["corpus"].startswith(WRITTEN)]
        self.genres = sorted({one["corpus"] for one in self._texts})
        self._documentation = [one for one in documentation if len(one["text"]) <= MAX_LETTERS]

    def drawn(self, random: Random, tokenizer: WriterTokenizer) -> Iterator[Lesson]:
        """All of them once, in another order each time."""
        lessons = [self._of_questions(one, random, tokenizer) for one in self._passages]
        if self._documentation:
            lessons += [Lesson(text_told(one["corpus"]), written_text(one)) for one in self._texts]
            count = min(DOCUMENTATION_LESSONS, len(self._documentation))
            lessons += map(_of_documentation, random.sample(self._documentation, count))
        random.shuffle(lessons)
        yield from lessons

    def _of_questions(self, passage: Line, random: Random, tokenizer: WriterTokenizer) -> Lesson:
        parts = []
        for name, questions in ((_FIRST, self._answered), (_SECOND, self._missed)):
            of_passage = questions[passage["id"]]
            some = random.sample(of_passage, min(self._questions_of_each, len(of_passage)))
            parts.append("\n".join([name, *(f"- {one}" for one in some)]))
        return Lesson(questions_told(passage, tokenizer), "\n".join(parts))


def _of_documentation(passage: Line) -> Lesson:
    heading = plain_heading(passage["heading"])
    told = documentation_told(_NAMES[passage["corpus"]], heading)
    return Lesson(told, written_text(passage | {"heading": heading}))


def plain_heading(heading: str) -> str:
    """A heading without the marks of its anchors."""
    return _ANCHOR.sub("", heading).replace("\n", " ").strip()


def usual_headings(documentation: Sequence[Line]) -> list[str]:
    """The last parts of headings that could stand in any documentation."""
    found = set()
    for one in documentation:
        heading = plain_heading(one["heading"]).rpartition(" > ")[2]
        name = _NAMES[one["corpus"]].lower()
        if (
            re.fullmatch(r"[A-Za-z ,'-]+", heading)
            and name not in heading.lower()
            and len(heading.split()) <= MAX_HEADING_WORDS
        ):
            found.add(heading)
    return sorted(found)


def wanted_texts(
    genres: Sequence[str], headings: Sequence[str], count: int, random: Random
) -> Iterator[Wanted]:
    """Texts of all genres and documentation of all kinds of software, in any order."""
    for number in range(count):
        if headings and random.random() < DOCUMENTATION_SHARE:
            told = documentation_told(random.choice(SOFTWARE), random.choice(headings))
            yield Wanted(told, DOCUMENTATION)
        else:
            genre = genres[number % len(genres)]
            yield Wanted(text_told(genre), genre)


def documentation_told(name: str, heading: str) -> str:
    """What the model is told to write documentation."""
    return f"Write a text: documentation of {name}: {heading}"


def text_told(genre: str) -> str:
    """What the model is told to write a text."""
    return f"Write a text: {genre.removeprefix(WRITTEN).replace('_', ' ')}"


def written_text(passage: Line) -> str:
    """A text with its title, as the model should write it."""
    return f"{passage['heading']}\n\n{passage['text']}"


def questions_told(passage: Line, tokenizer: WriterTokenizer) -> str:
    """What the model is told to write questions."""
    return f"{passage['heading']}\n\n{tokenizer.cut(passage['text'])}\n\n{_QUESTIONS}"


def questions_of(written: str, *, whole: bool) -> list[tuple[str, bool]]:
    """The questions that were written, and whether each should be answered.

    The last line counts only if the model came to its end.
    """
    first, _, second = written.partition(_SECOND)
    found = [(one.strip(), True) for one in _LINE.findall(first)]
    found += [(one.strip(), False) for one in _LINE.findall(second)]
    kept = dict(found if whole else found[:-1])
    return [(one, answered) for one, answered in kept.items() if 2 <= len(one.split()) <= 40]


def some_questions(
    questions: Sequence[tuple[str, bool]], random: Random
) -> Iterator[tuple[str, bool]]:
    """Some of those that should be answered, and as many others."""
    for kind in (True, False):
        of_kind = [one for one in questions if one[1] is kind]
        yield from random.sample(of_kind, min(ASKED_OF_EACH, len(of_kind)))


def text_of(written: str, *, whole: bool) -> tuple[str, str] | None:
    """The title and the text that were written; None if it is none.

    If the model did not come to its end, the last line or sentence is left out.
    """
    title, _, text = written.partition("\n\n")
    text = text.strip()
    if not whole:
        ends = [one.start() for one in _ENDS.finditer(text)]
        text = text[: ends[-1]].strip() if ends else ""
    fit = title.strip() and MIN_WORDS <= len(text.split()) <= MAX_WORDS
    return (title.strip(), text) if fit and "\n" not in title.strip() else None


def asked_about(passages: Sequence[Line], asked: Container[int], random: Random) -> list[Line]:
    """The passages of documentations that may be asked about and were not, in any order."""
    fit = [
        one
        for one in passages
        if one["corpus"] not in NOT_ASKED
        and not one["corpus"].startswith(WRITTEN)
        and one["id"] not in asked
        and len(one["text"]) >= MIN_LETTERS
        and one["sentences"]
    ]
    random.shuffle(fit)
    return fit


def mixed(texts: Sequence[Line], passages: Sequence[Line]) -> list[Line]:
    """Texts and passages in turns, so that there are some of both whenever time is up."""
    pairs = [one for pair in zip(texts, passages, strict=False) for one in pair]
    rest = texts[len(passages) :] or passages[len(texts) :]
    return [*pairs, *rest]
