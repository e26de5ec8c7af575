"""Writes what the reader is trained on: `python -m training.prepare DATA OUT`."""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Literal, TypeAlias

from training.asked_passages import asked_passages
from training.labelled_book import labelled_book
from training.near_misses import near_misses
from training.prepared import ASIDE_FILE, EXAMPLES_FILE, PASSAGES_FILE, Line
from training.question_rules import (
    Sentence,
    answer_shares,
    cleaned,
    is_grounded,
    sentences_of,
    with_sentences,
)
from training.shares import clear_sentence
from training.sources import (
    AskedQuestion,
    Paraphrase,
    Passage,
    read_paraphrases,
    read_passages,
    read_questions,
)
from training.typed_questions import typed_questions
from training.written_texts import WrittenText, written_texts

SEED = 16
# One documentation must not be most of what the reader knows.
MAX_QUESTIONS_PER_CORPUS = 5_000


Kind: TypeAlias = Literal[
    "question",
    "statement",
    "near_miss",
    "typed",
    "typed_miss",
    "written",
    "written_miss",
    "asked",
    "asked_miss",
]


@dataclass(frozen=True, slots=True)
class Example:
    """A question, or a statement, and its passage.

    `shares` says how much each sentence of the passage has in common with the answer. A near miss
    has none there, because `other` is not in the passage.
    """

    kind: Kind
    passage: int
    question: str
    answer: str = ""
    shares: Sequence[float] = ()
    other: str = ""


def prepare(data: Path, out: Path) -> None:
    """Write passages with their sentences, and examples."""
    random = Random(SEED)
    passages = {one.id: one for one in read_passages(data)}
    sentences = {number: sentences_of(one) for number, one in passages.items()}
    examples = choose_examples(read_questions(data), passages, sentences, random)
    pairs = [(one.passage, one.question) for one in examples]
    examples += [
        Example("near_miss", one.passage, one.question, other=one.other)
        for one in near_misses(pairs, passages, random)
    ]
    examples += statements(read_paraphrases(data), sentences)
    examples += typed(passages.values(), sentences, random)
    for text in written_texts():
        passages[text.passage.id] = text.passage
        sentences[text.passage.id] = text.sentences
        examples += written(text)
    for text in asked_passages(passages):
        examples += written(text, "asked", "asked_miss")
    out.mkdir(parents=True, exist_ok=True)
    _write(
        out / PASSAGES_FILE,
        (with_sentences(one, sentences[one.id]) for one in passages.values()),
    )
    _write(out / EXAMPLES_FILE, map(asdict, examples))
    (out / ASIDE_FILE).write_text(json.dumps(kept_aside(passages)), encoding="utf-8")
    (out / "labelled.json").write_text(json.dumps(labelled_book()), encoding="utf-8")
    print(f"{len(passages)} passages, {dict(Counter(one.kind for one in examples))}")


def kept_aside(passages: Mapping[int, Passage]) -> dict[str, list[Line]]:
    """The texts and passages for development, and the questions of each."""
    lines: list[Line] = []
    questions: list[Line] = []
    for name, texts in (
        ("written", written_texts(development=True)),
        ("asked", asked_passages(passages, development=True)),
    ):
        for text in texts:
            questions += [
                asdict(one) | {"of": name, "passage": len(lines)} for one in text.questions
            ]
            lines.append(with_sentences(text.passage, text.sentences))
    return {"passages": lines, "questions": questions}


def choose_examples(
    questions: Iterable[AskedQuestion],
    passages: Mapping[int, Passage],
    sentences: Mapping[int, tuple[Sentence, ...]],
    random: Random,
) -> list[Example]:
    """The questions that are fit, each once, and not too many of one documentation."""
    found: dict[tuple[int, str], Example] = {}
    for asked in questions:
        question = cleaned(asked.question)
        of_passage = sentences[asked.passage]
        if question and is_grounded(asked, of_passage):
            shares = answer_shares(asked.answer, of_passage)
            found[asked.passage, question] = Example(
                "question", asked.passage, question, asked.answer, shares
            )
    chosen = list(found.values())
    random.shuffle(chosen)
    counts: Counter[str] = Counter()
    kept = []
    for example in chosen:
        corpus = passages[example.passage].corpus
        counts[corpus] += 1
        if counts[corpus] <= MAX_QUESTIONS_PER_CORPUS:
            kept.append(example)
    return kept


def statements(
    paraphrases: Iterable[Paraphrase], sentences: Mapping[int, tuple[Sentence, ...]]
) -> Iterator[Example]:
    """Sentences in other words, which lead to the sentence that they were made from."""
    for one in paraphrases:
        if one.same.strip() != one.sentence.strip() and sentences.get(one.passage):
            shares = answer_shares(one.sentence, sentences[one.passage])
            if clear_sentence(shares) is not None:
                yield Example("statement", one.passage, one.same, one.sentence, shares)


def typed(
    passages: Iterable[Passage], sentences: Mapping[int, tuple[Sentence, ...]], random: Random
) -> Iterator[Example]:
    """Questions for figures, prices, times and persons, answered and not."""
    for passage in passages:
        of_passage = sentences[passage.id]
        for one in typed_questions(passage, of_passage, random):
            if one.sentence is None:
                yield Example("typed_miss", passage.id, one.question)
            else:
                shares = [float(place == one.sentence) for place in range(len(of_passage))]
                sentence = of_passage[one.sentence]
                answer = passage.text[sentence.start : sentence.end]
                yield Example("typed", passage.id, one.question, answer, shares)


def written(
    text: WrittenText, answered: Kind = "written", missed: Kind = "written_miss"
) -> Iterator[Example]:
    """The questions that were written for a text, one by one."""
    for one in text.questions:
        if one.kind != "answered":
            yield Example(missed, one.passage, one.question)
        elif one.sentences:
            shares = [float(place in one.sentences) for place in range(len(text.sentences))]
            yield Example(answered, one.passage, one.question, one.answer, shares)


def _write(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with passages and questions")
    parser.add_argument("out", type=Path, help="where to write the examples")
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.out)
