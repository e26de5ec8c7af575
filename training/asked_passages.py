"""Reads the questions that were written for passages of the documentations, one by one."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from training.prepared import DEVELOPMENT
from training.question_rules import sentences_of
from training.sources import Passage
from training.written_texts import WrittenText, questions_of

FOLDER = Path(__file__).with_name("asked")


def asked_passages(
    passages: Mapping[int, Passage], folder: Path = FOLDER, *, development: bool = False
) -> Iterator[WrittenText]:
    """The passages with questions for training, or those for development."""
    for path in sorted(folder.glob("*.jsonl")):
        if (path.stem == DEVELOPMENT) == development:
            for line in path.read_text(encoding="utf-8").splitlines():
                asked = json.loads(line)
                passage = passages[asked["passage"]]
                sentences = sentences_of(passage)
                questions = questions_of(asked, passage, sentences)
                yield WrittenText(passage, sentences, tuple(questions))
