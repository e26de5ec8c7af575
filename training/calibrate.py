"""Fits the probability of an answer: `python -m training.calibrate PREPARED ADAPTER`.

It reads with the adapter as the product does, and adds the fitted weights to its reader.json. The
questions are those of the texts and passages for development, and of documentations that were not
trained on, half of them without the passage that answers; and two books are asked questions of each
other.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, astuple, dataclass, fields, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
from bench.classification import area

from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.evidence_judge import Case, ReadEvidence, read_evidence
from sourcebook.answering.statements import read_statements
from sourcebook.core.answers import Question
from sourcebook.core.ports import Embedder, Reader
from sourcebook.core.readings import Calibration
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.openvino import open_openvino_embedder
from sourcebook.providers.readers.adapter import CARD_FILE
from sourcebook.providers.readers.local_provider import ReaderSettings
from sourcebook.providers.readers.openvino import open_openvino_reader
from training.asked_passages import asked_passages
from training.labelled_book import labelled_book
from training.prepared import EXAMPLES_FILE, PASSAGES_FILE, TEXTS_FILE, read_lines
from training.runs_of_passages import ASIDE_FOLDER, load_runs
from training.sources import HELD_OUT_CORPORA
from training.sources import Passage as DocumentationPassage
from training.written_texts import WrittenText, written_texts

Numbers = npt.NDArray[np.float64]

SEED = 16
HITS = 5
# Of the documentations that were not trained on: so many passages with a question are a book.
BOOK_PASSAGES = 300
# Questions that each book gets of the other.
FOREIGN_QUESTIONS = 100
# Runs of passages whose questions are asked.
RUNS = 40
# Per standard deviation of a signal.
PENALTY = 0.001
# So many questions are read at a time.
CONCURRENT = 4
STEPS = 50
SIGNALS = ("relevance", "answer", "similarity", "coverage", "lead")
# Near misses have all of the question's words and are as similar as answers, so that a fit on many
# of them would turn these two round; but what is about something else is less similar.
LEAST = {"relevance": 0.0, "answer": 0.0, "similarity": 2.0, "coverage": 0.0, "lead": 0.0}
# An answer where there is none is worse than a refusal: so many logits of doubt are added.
CAUTION = 0.7
NO_CALIBRATION = Calibration(0.0, 1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about a book; `without` is a passage that is taken out for it."""

    text: str
    answered: bool
    kind: str
    own: int | None = None
    without: int | None = None
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """Passages as heading and text, and questions about them."""

    name: str
    passages: tuple[tuple[str, str], ...]
    questions: tuple[AskedQuestion, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """A question, what the reader made of what was found for it, and what it would quote."""

    asked: AskedQuestion
    read: ReadEvidence
    quoted: str


def development_book() -> Book:
    """The texts that were written for development, and their questions."""
    return _book_of("development", written_texts(development=True))


def asked_book(prepared: Path) -> Book:
    """Passages of documentations, with the questions that were written for development."""
    wanted = [one.name for one in fields(DocumentationPassage)]
    passages = {
        line["id"]: DocumentationPassage(**{name: line[name] for name in wanted})
        for line in read_lines(prepared / PASSAGES_FILE)
    }
    return _book_of("asked", asked_passages(passages, development=True))


def _book_of(name: str, texts: Iterable[WrittenText]) -> Book:
    passages, questions = [], []
    for number, text in enumerate(texts):
        passages.append((text.passage.heading, text.passage.text))
        for one in text.questions:
            answered = one.kind == "answered"
            said = tuple(
                text.passage.text[text.sentences[place].start : text.sentences[place].end]
                for place in one.sentences
            )
            questions.append(
                AskedQuestion(
                    one.question, answered, one.kind, number if answered else None, sentences=said
                )
            )
    return Book(name, tuple(passages), tuple(questions))


def runs_book(folder: Path) -> Book:
    """Passages of many documentations and articles, with some of the questions on their runs."""
    runs = load_runs(folder, 0)
    lines = read_lines(folder / TEXTS_FILE)
    passages = tuple((line["heading"], line["text"]) for line in lines)
    questions = []
    for run in Random(SEED).sample(runs, min(RUNS, len(runs))):
        for one in run.answered:
            places = [(run.passages[place], sentence) for place, sentence in one.places]
            said = tuple(_sentence(lines[number], sentence) for number, sentence in places)
            own = places[0][0]
            questions.append(AskedQuestion(one.question, True, "answered", own, sentences=said))
        questions += [AskedQuestion(text, False, "near_miss") for text in run.missing]
    return Book("runs", passages, tuple(questions))


def documentation_book(prepared: Path) -> Book:
    """Passages of documentations that were not trained on; half of the questions lack theirs."""
    random = Random(SEED)
    lines = {
        line["id"]: line
        for line in read_lines(prepared / PASSAGES_FILE)
        if line["corpus"] in HELD_OUT_CORPORA
    }
    asked = [
        line
        for line in read_lines(prepared / EXAMPLES_FILE)
        if line["kind"] == "question" and line["passage"] in lines
    ]
    random.shuffle(asked)
    first = {line["passage"]: line for line in reversed(asked)}
    chosen = list(first.values())[:BOOK_PASSAGES]
    passages = tuple(
        (lines[one["passage"]]["heading"], lines[one["passage"]]["text"]) for one in chosen
    )
    questions = tuple(
        AskedQuestion(
            one["question"],
            number % 2 == 0,
            "answered" if number % 2 == 0 else "unanswered",
            number if number % 2 == 0 else None,
            None if number % 2 == 0 else number,
        )
        for number, one in enumerate(chosen)
    )
    return Book("documentation", passages, questions)


def labelled() -> Book:
    """The labelled questions: only ever measured."""
    book = labelled_book()
    passages = tuple((one["heading"], one["text"]) for one in book["passages"])
    questions = []
    for one in book["questions"]:
        said = tuple(_sentence(book["passages"][place], number) for place, number in one["places"])
        answered = one["kind"] == "answered"
        questions.append(AskedQuestion(one["question"], answered, one["kind"], sentences=said))
    return Book("labelled", passages, tuple(questions))


def _sentence(passage: dict, number: int) -> str:
    start, end = passage["sentences"][number]
    return passage["text"][start:end]


def clapnq(folder: Path) -> Book:
    """ClapNQ's questions, each passage in a pool with all others: only ever measured."""
    passages, questions = [], []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            (passage,) = case["passages"]
            answered = bool(case["output"][0]["answer"])
            kind = "answered" if answered else "unanswered"
            questions.append(AskedQuestion(case["input"], answered, kind, len(passages)))
            passages.append((passage["title"], " ".join(passage["sentences"])))
    return Book("clapnq", tuple(passages), tuple(questions))


def with_foreign(book: Book, other: Book) -> Book:
    """The book with questions of another, which it does not answer."""
    asked = [one for one in other.questions if one.kind == "answered"]
    some = Random(SEED).sample(asked, FOREIGN_QUESTIONS)
    foreign = tuple(AskedQuestion(one.text, False, "foreign") for one in some)
    return replace(book, questions=(*book.questions, *foreign))


async def measure(book: Book, reader: Reader, embedder: Embedder) -> list[Measured]:
    """Find and read the evidence of each question."""
    texts = [f"{heading} {text}" for heading, text in book.passages]
    embedded = await embedder.embed_documents(texts)
    vectors = np.array([one[0] for one in embedded])
    turns = asyncio.Semaphore(CONCURRENT)

    async def one_question(asked: AskedQuestion) -> Measured:
        async with turns:
            return await _measured(book, asked, vectors, reader, embedder)

    return list(await asyncio.gather(*map(one_question, book.questions)))


async def _measured(
    book: Book, asked: AskedQuestion, vectors: Numbers, reader: Reader, embedder: Embedder
) -> Measured:
    similar = vectors @ np.array(await embedder.embed_query(asked.text))
    if asked.without is not None:
        similar[asked.without] = -1.0
    best = np.argsort(-similar)[:HITS]
    passages = tuple(
        Passage(
            number, book.passages[place][1], _source(book.passages[place][0]), float(similar[place])
        )
        for number, place in enumerate(best, 1)
    )
    quotable = read_statements(passages)
    case = Case(Question(asked.text), asked.text, passages, quotable)
    read = await read_evidence(case, reader, float(similar[best[0]]))
    scores = [
        -99.0 if score is None or one.kind == "heading" else score
        for one, score in zip(quotable, read.scores, strict=True)
    ]
    quoted = quotable[int(np.argmax(scores))].statement.text if scores else ""
    return Measured(asked, read, quoted)


def _source(heading: str) -> Source:
    return Source("", heading, "")


def fit(measured: Sequence[Measured]) -> Calibration:
    """A logistic fit.

    Those who are answered count as much as all others, and of these each kind the same. A signal
    that would get less than its least weight gets that.
    """
    signals = _signals(measured)
    least = np.array([-np.inf, *(LEAST[name] for name in SIGNALS)])
    free = np.ones(len(least), dtype=bool)
    while True:
        weights = np.where(free, 0.0, least)
        given = signals[:, ~free] @ weights[~free]
        weights[free] = _fitted(signals[:, free], given, measured)
        if (weights >= least).all():
            weights[0] -= CAUTION
            return Calibration(*(round(float(one), 4) for one in weights))
        free &= weights >= least


def _fitted(signals: Numbers, given: Numbers, measured: Sequence[Measured]) -> Numbers:
    """The weights of the signals, beside what is `given` already."""
    spread = np.where(signals.std(axis=0) > 0, signals.std(axis=0), 1.0)
    scaled = signals / spread
    answered = np.array([one.asked.answered for one in measured], dtype=float)
    counts = _counts([one.asked.kind for one in measured])
    weights = np.zeros(signals.shape[1])
    penalty = np.diag([0.0] + [PENALTY] * (signals.shape[1] - 1))
    for _ in range(STEPS):
        expected = _logistic(scaled @ weights + given)
        gradient = scaled.T @ (counts * (expected - answered)) + penalty @ weights
        curvature = (scaled * (counts * expected * (1 - expected))[:, None]).T @ scaled + penalty
        weights -= np.linalg.solve(curvature, gradient)
    fitted: Numbers = weights / spread
    return fitted


def _counts(kinds: Sequence[str]) -> Numbers:
    sizes = Counter(kinds)
    others = len(sizes) - 1
    return np.array([0.5 / sizes[kind] / (1 if kind == "answered" else others) for kind in kinds])


def probabilities(measured: Sequence[Measured], calibration: Calibration) -> Numbers:
    """The probability of each question that it is answered."""
    return _logistic(_signals(measured) @ np.array(astuple(calibration)))


def _signals(measured: Sequence[Measured]) -> Numbers:
    return np.array([(1.0, *astuple(one.read.signals)) for one in measured])


def _logistic(logits: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-np.clip(logits, -30, 30)))


def report(name: str, measured: Sequence[Measured], calibration: Calibration) -> Iterator[str]:
    """What a threshold of one half does to each kind of question."""
    chances = probabilities(measured, calibration)
    kinds = np.array([one.asked.kind for one in measured])
    answered = chances[kinds == "answered"]
    for kind in sorted(set(kinds)):
        of_kind = chances[kinds == kind]
        right = of_kind >= 0.5 if kind == "answered" else of_kind < 0.5
        told = ""
        if kind != "answered":
            told = f", AUC {area(answered.tolist(), of_kind.tolist()):.3f}"
        yield f"{name}: {kind} ({len(of_kind)}) rightly {right.mean():.3f}{told}"
    quoted = [_holds(one) for one in measured if one.asked.sentences]
    if quoted:
        yield f"{name}: right sentence {sum(quoted)} of {len(quoted)}"


def _holds(one: Measured) -> bool:
    said = " ".join(one.quoted.split())
    return any(" ".join(text.split()) in said or said in text for text in one.asked.sentences)


def _as_json(measured: Mapping[str, Sequence[Measured]]) -> list[dict]:
    return [
        {
            "book": name,
            "question": one.asked.text,
            "kind": one.asked.kind,
            **asdict(one.read.signals),
            "right_sentence": _holds(one) if one.asked.sentences else None,
        }
        for name, some in measured.items()
        for one in some
    ]


@asynccontextmanager
async def opened(adapter: Path) -> AsyncIterator[tuple[Reader, Embedder]]:
    """The reader and the bundled embedder, as the product opens them."""
    bundled = LocalEmbedderSettings(path="bundled:all-MiniLM-L6-v2")
    with TemporaryDirectory() as name:
        opening = Opening("minilm", data_dir=Path(name), models_dir=adapter / "models")
        async with (
            open_openvino_reader(ReaderSettings(path=str(adapter)), opening) as reader,
            open_openvino_embedder(bundled, opening) as embedder,
        ):
            yield reader, embedder


async def calibrate(
    prepared: Path, adapter: Path, clapnq_folder: Path | None, runs: Path | None
) -> None:
    """Fit, write, report."""
    card = adapter / CARD_FILE
    known = json.loads(card.read_text(encoding="utf-8"))
    card.write_text(json.dumps(known | {"calibration": asdict(NO_CALIBRATION)}), encoding="utf-8")
    development, documentation = development_book(), documentation_book(prepared)
    books = [
        with_foreign(development, documentation),
        with_foreign(documentation, development),
        asked_book(prepared),
        *([runs_book(runs / ASIDE_FOLDER)] if runs else []),
    ]
    tests = [labelled(), *([clapnq(clapnq_folder)] if clapnq_folder else [])]
    async with opened(adapter) as (reader, embedder):
        measured = {book.name: await measure(book, reader, embedder) for book in (*books, *tests)}
    (adapter / "measured.json").write_text(json.dumps(_as_json(measured)), encoding="utf-8")
    fitted = fit([one for book in books for one in measured[book.name]])
    written = known | {"calibration": asdict(fitted)}
    card.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    print(fitted)
    for name, some in measured.items():
        print("\n".join(report(name, some, fitted)))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--clapnq", type=Path)
    parser.add_argument("--runs", type=Path, help="what training.runs_of_passages wrote")
    arguments = parser.parse_args()
    asyncio.run(calibrate(arguments.prepared, arguments.adapter, arguments.clapnq, arguments.runs))


if __name__ == "__main__":
    main()
