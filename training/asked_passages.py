"""Reads the questions that were written for passages of the documentations, one by one."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from training.prepared import Line
from training.question_rules import Sentence, sentences_of
from training.runs_of_passages import key_of, written_runs
from training.sources import Passage
from training.written_texts import WrittenQuestion, WrittenText

FOLDER = Path(__file__).with_name("asked")


def asked_passages(
    passages: Mapping[int, Passage], folder: Path = FOLDER, *, development: bool = False
) -> Iterator[WrittenText]:
    """The passages with questions for training, or those for development.

    A line is a run of one passage. One of which another version says something else is left out.
    """
    known = {key_of(one.text): one for one in passages.values()}
    for line in written_runs(folder, development=development):
        (key,) = line["passages"]
        if passage := known.get(key):
            sentences = sentences_of(passage)
            yield WrittenText(passage, sentences, tuple(_questions(line, passage, sentences)))


def _questions(
    line: Line, passage: Passage, sentences: tuple[Sentence, ...]
) -> Iterator[WrittenQuestion]:
    for question, numbers in line["answered"]:
        places = tuple(number - 1 for number in numbers)
        said = (passage.text[sentences[one].start : sentences[one].end] for one in places)
        yield WrittenQuestion(passage.id, question, "answered", " ".join(said), places)
    for question in line["missing"]:
        yield WrittenQuestion(passage.id, question, "near_miss", "", ())
