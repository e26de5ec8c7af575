"""Reads a question set: JSON lines in our own form or with a field mapping, BEIR, MTRAG."""

from collections.abc import Mapping
from pathlib import Path

from sourcebook.core.errors import InvalidInput
from sourcebook.core.text import is_blank
from sourcebook.evaluation import beir
from sourcebook.evaluation.json_lines import Line, read_json_lines, unusable
from sourcebook.evaluation.questions import AnswerPlace, FileLines, JudgedQuestion, QuestionSet

FIELDS = ("id", "question", "relevant", "answer", "answerable", "earlier", "places", "tuned_on")


def read_questions(
    path: Path,
    *,
    qrels: Path | None = None,
    split: str = "test",
    fields: Mapping[str, str] | None = None,
) -> QuestionSet:
    """Read a BEIR folder, a file of queries with its `qrels`, or a file of our own form.

    `fields` maps our names to those of another file of JSON lines.
    """
    if path.is_dir():
        return QuestionSet(path.resolve().name, tuple(beir.read_folder(path, split)))
    if qrels is not None:
        return QuestionSet(path.stem, tuple(beir.read_queries(path, qrels)))
    return QuestionSet(path.stem, tuple(_read_own(path, fields or {})))


def parse_fields(text: str | None) -> dict[str, str]:
    """Parse `question=prompt,relevant=gold_lesson`; InvalidInput if it is anything else."""
    pairs = [pair.partition("=") for pair in (text or "").split(",") if pair.strip()]
    for name, equals, theirs in pairs:
        if not equals or not theirs.strip() or name.strip() not in FIELDS:
            raise InvalidInput(
                f"--fields {text!r} cannot be used: write question=prompt,relevant=source, with"
                f" {', '.join(FIELDS)} before the equals sign"
            )
    return {name.strip(): theirs.strip() for name, _, theirs in pairs}


def _read_own(path: Path, fields: Mapping[str, str]) -> list[JudgedQuestion]:
    found: dict[str, JudgedQuestion] = {}
    for number, line in read_json_lines(path):
        if "_id" in line and "question" not in line and not fields:
            raise InvalidInput(
                f"{str(path)!r} has queries without judgements: name the file of these with --qrels"
            )
        # With a mapping, only what it names is read: another field of our name may mean anything.
        named = {"id": "id", **fields} if fields else {name: name for name in FIELDS}
        known = {ours: line[theirs] for ours, theirs in named.items() if theirs in line}
        try:
            question = _question(known, str(number))
        except ValueError as problem:
            has = ", ".join(map(str, line)) or "nothing"
            raise unusable(path, number, f"{problem} (it has: {has})") from None
        if question.id in found:
            raise unusable(path, number, f"has the id {question.id!r} of an earlier line")
        found[question.id] = question
    if not found:
        raise InvalidInput(f"There is no question in {str(path)!r}")
    return list(found.values())


def _question(line: Line, number: str) -> JudgedQuestion:
    """Return the question of a line; ValueError with what is wrong."""
    text = line.get("question")
    if not isinstance(text, str) or is_blank(text):
        raise ValueError("needs a `question`; --fields question=NAME reads another field")
    id_, answer, answerable = (line.get(name) for name in ("id", "answer", "answerable"))
    tuned_on = line.get("tuned_on", False)
    if id_ is not None and (isinstance(id_, bool) or not isinstance(id_, str | int)):
        raise ValueError("needs a text or a number as `id`")
    if answer is not None and not isinstance(answer, str):
        raise ValueError("needs a text as `answer`")
    if answerable is not None and not isinstance(answerable, bool):
        raise ValueError("needs true or false as `answerable`")
    if not isinstance(tuned_on, bool):
        raise ValueError("needs true or false as `tuned_on`")
    places = _places(line.get("places"))
    relevant = _relevant(line.get("relevant"))
    return JudgedQuestion(
        id=number if id_ is None else str(id_),
        text=text.strip(),
        relevant=relevant or dict.fromkeys((place.lines.path for place in places), 1),
        answer=answer if answer and not is_blank(answer) else None,
        answerable=answerable,
        earlier=_earlier(line.get("earlier")),
        places=places,
        tuned_on=tuned_on,
    )


def _relevant(given: object) -> dict[str, int]:
    if given is None:
        return {}
    if isinstance(given, str):
        return {given: 1}
    if isinstance(given, list) and all(isinstance(name, str) for name in given):
        return dict.fromkeys(given, 1)
    if isinstance(given, dict) and all(_is_grade(grade) for grade in given.values()):
        return given
    raise ValueError('needs ids as `relevant`: ["a.md"], or with grades {"a.md": 2}')


def _places(given: object) -> tuple[AnswerPlace, ...]:
    if given is None:
        return ()
    if isinstance(given, list) and all(_is_place(one) for one in given):
        return tuple(
            AnswerPlace(FileLines(one["path"], *one["lines"]), one.get("side"), one.get("words"))
            for one in given
        )
    raise ValueError(
        'needs lines of files as `places`, from 1: [{"path": "a.md", "lines": [3, 5]}];'
        " with texts as `words` and, of a comparison, `side`"
    )


def _is_place(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("path"), str):
        return False
    texts = [value[name] for name in ("side", "words") if value.get(name) is not None]
    if not all(isinstance(text, str) and not is_blank(text) for text in texts):
        return False
    lines = value.get("lines")
    if not isinstance(lines, list) or len(lines) != 2 or not all(map(_is_grade, lines)):
        return False
    return bool(1 <= lines[0] <= lines[1])


def _is_grade(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _earlier(given: object) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, list) and all(isinstance(text, str) for text in given):
        return tuple(text for text in given if not is_blank(text))
    raise ValueError('needs earlier questions as `earlier`: ["What is a node?"]')
