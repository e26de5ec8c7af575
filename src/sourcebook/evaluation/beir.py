"""Reads the files of BEIR and MTRAG: queries, judgements and corpus.

Both keep queries as JSON lines of `_id` and `text`, and judgements as tab-separated lines of query,
document and grade. In MTRAG a text may hold the whole conversation, each turn after `|user|:`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import InvalidInput
from sourcebook.core.text import is_blank
from sourcebook.evaluation.json_lines import Line, read_json_lines, read_lines, unusable
from sourcebook.evaluation.questions import JudgedQuestion

CORPUS = "corpus.jsonl"
_TURN = re.compile(r"(?:^|\n)[^\S\n]*+\|user\|: ?")


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of a corpus file."""

    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """The text to index; the title stands before it, as BEIR has it."""
        return f"{self.title}\n{self.text}" if self.title.strip() else self.text


def read_folder(folder: Path, split: str) -> list[JudgedQuestion]:
    """Read the questions of one split of a BEIR folder."""
    qrels = folder / "qrels" / f"{split}.tsv"
    if not qrels.is_file():
        splits = sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))
        raise InvalidInput(
            f"There is no split {split!r} in {str(folder)!r}: no file {str(qrels)!r}."
            f" Available: {splits}"
        )
    names = (f"queries_{split}.jsonl", f"queries-{split}.jsonl", "queries.jsonl")
    for path in (folder / name for name in names):
        if path.is_file():
            return read_queries(path, qrels)
    raise InvalidInput(f"There are no queries in {str(folder)!r}: none of {list(names)}")


def read_queries(path: Path, qrels: Path) -> list[JudgedQuestion]:
    """Read the queries that were judged."""
    judged = _read_qrels(qrels)
    found = []
    for number, line in read_json_lines(path):
        id_, text = _texts(path, number, line)
        turns = [turn.strip() for turn in _TURN.split(text) if turn.strip()]
        if id_ in judged and turns:
            found.append(JudgedQuestion(id_, turns[-1], judged[id_], earlier=tuple(turns[:-1])))
    if not found:
        raise InvalidInput(f"No query of {str(path)!r} is judged in {str(qrels)!r}")
    return found


def read_corpus(path: Path) -> Iterator[CorpusDocument]:
    """Yield the documents that have a text."""
    for number, line in read_json_lines(path):
        id_, text = _texts(path, number, line)
        title = line.get("title")
        document = CorpusDocument(id_, title if isinstance(title, str) else "", text)
        if not is_blank(document.whole):
            yield document


def corpus_file(path: Path) -> Path | None:
    """Return the corpus that a path means: a file of JSON lines, or a BEIR folder's; else None."""
    if path.is_file() and path.suffix == ".jsonl":
        return path
    return path / CORPUS if (path / CORPUS).is_file() else None


def _read_qrels(path: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
        columns = [column.strip() for column in line.split("\t")]
        if number == 1 and columns[-1] == "score":
            continue
        try:
            question, document, grade = columns
            judged.setdefault(question, {})[document] = int(grade)
        except ValueError:
            raise unusable(
                path, number, "is no judgement: query, document and a whole number, with tabs"
            ) from None
    return judged


def _texts(path: Path, number: int, line: Line) -> tuple[str, str]:
    id_, text = line.get("_id"), line.get("text")
    if not isinstance(id_, str | int) or not isinstance(text, str):
        raise unusable(path, number, "needs `_id` and `text`")
    return str(id_), text
