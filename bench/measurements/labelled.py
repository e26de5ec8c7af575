"""The labelled questions and claims of `training/labelled`, through `/chat` from end to end.

All texts are one book. The questions are asked without a language model. The claims are said by a
model that says what it is told, when it is asked what the sentence that decides them answers.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.book_servers import BookServer, book_server
from bench.run import Run
from bench.servers import serving
from bench.table import Goal, Row

LABELLED = Path(__file__).parents[2] / "training" / "labelled"
QUICK = 20
_WORDS = re.compile(r"[^\W_]+")
Labelled = Mapping[str, Any]


def measure(run: Run) -> list[Row]:
    """One round: nothing of it is left to chance."""
    questions, claims = (_some(read_labelled(name), run) for name in ("questions", "claims"))
    settings = {"DOCS_PATH": str(LABELLED / "texts"), "API_RATE_LIMIT": "0"}
    with book_server(run.folder / "questions", **settings) as book:
        book.ingest()
        asked = [(one, _reply(book, one["question"])) for one in questions]
    told = {one["question"]: (one["claim"], one["evidence"]) for one in claims}
    puppet = run.folder / "puppet"
    puppet.mkdir()
    (puppet / "told.json").write_text(json.dumps(told), "utf-8")
    command = [sys.executable, "-m", "bench.puppet_model", str(puppet / "told.json")]
    with serving(command, puppet, "/v1/models") as model:
        settings |= {"SOURCEBOOK_LLM_BASE_URL": f"{model.url}/v1", "SOURCEBOOK_LLM_MODEL": "puppet"}
        settings |= {"SOURCEBOOK_GROUNDING": "cited"}
        with book_server(run.folder / "claims", **settings) as book:
            book.ingest()
            said = [(one, _reply(book, one["question"], "strict")) for one in claims]
            cited = [(one, _reply(book, one["question"], "cited")) for one in claims]
    return [*of_questions(asked), *of_claims(said), *of_cited(cited)]


def read_labelled(name: str) -> list[Labelled]:
    """All `questions` or all `claims`."""
    lines = (LABELLED / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _some(labelled: Sequence[Labelled], run: Run) -> Sequence[Labelled]:
    return labelled[:: max(1, len(labelled) // run.amount(len(labelled), QUICK))]


def _reply(book: BookServer, question: str, grounding: str | None = None) -> Labelled:
    asked = {"query": question} | ({} if grounding is None else {"grounding": grounding})
    reply: Labelled = book.server.post("/chat", asked)
    return reply


def of_questions(asked: Sequence[tuple[Labelled, Labelled]]) -> list[Row]:
    """What became of each question, by the reply."""
    answerable = [(one, reply) for one, reply in asked if one["kind"] == "answered"]
    others = [reply for one, reply in asked if one["kind"] != "answered"]
    right = [
        any(_tells(reply["answer"], text) for text in (one["answer"], *one["also"]))
        for one, reply in answerable
    ]
    return [
        _share("labelled questions that are answered: with the right sentence", right, ">=", 95),
        _share(
            "labelled questions that are answered: refused",
            [not reply["metadata"]["answered"] for _, reply in answerable],
        ),
        _share(
            "labelled questions that are not answered: refused",
            [not reply["metadata"]["answered"] for reply in others],
            ">=",
            95,
        ),
    ]


def of_claims(said: Sequence[tuple[Labelled, Labelled]]) -> list[Row]:
    """What became of each claim that a model made, by the reply."""
    true = [(one, reply) for one, reply in said if one["true"]]
    proven = [_holds(reply["answer"], one["claim"]) for one, reply in true]
    told = [_tells(reply["answer"], one["evidence"]) for one, reply in true]
    # A claim without its condition stands in the sentence that has it, and may be quoted with it.
    left = [
        _holds(reply["answer"], one["claim"]) and not _holds(reply["answer"], one["evidence"])
        for one, reply in said
        if not one["true"]
    ]
    either = [one or other for one, other in zip(proven, told, strict=True)]
    return [
        _share("labelled false claims that leave", left, "<=", 1),
        _share("labelled true claims: proven, or the sentence that says it", either, ">=", 95),
        _share("labelled true claims: proven", proven, ">=", 50),
    ]


def of_cited(said: Sequence[tuple[Labelled, Labelled]]) -> list[Row]:
    """What left in the model's words where figures, names and small words decide; false by kind."""
    left = [
        (
            one,
            _holds(reply["answer"], one["claim"]) and not _holds(reply["answer"], one["evidence"]),
        )
        for one, reply in said
    ]
    kinds = sorted({one["kind"] for one, _ in left if not one["true"]})
    return [
        _share(
            "labelled true claims that leave in the model's words, `cited`",
            [_holds(reply["answer"], one["claim"]) for one, reply in said if one["true"]],
            ">=",
            85,
        ),
        *(
            _share(f"labelled false claims that leave, `cited`: {kind}", has_left)
            for kind in kinds
            if (has_left := [has for one, has in left if one["kind"] == kind])
        ),
    ]


def _share(what: str, found: Sequence[bool], order: str = "", bound: float = 0) -> Row:
    goal = Goal(order, bound, "%") if order else None
    share = 100 * sum(found) / len(found)
    return Row(what, [share], goal, "%", ours=f"{sum(found)} of {len(found)}")


def _holds(answer: str, text: str) -> bool:
    """Whether an answer has the words of a text side by side; marks and citations are left out."""
    return f" {' '.join(_words(text))} " in f" {' '.join(_words(answer))} "


def _tells(answer: str, text: str) -> bool:
    """Whether an answer has the words of a text in order: a row is told with its columns' names."""
    said = iter(_words(answer))
    return all(word in said for word in _words(text))


def _words(text: str) -> list[str]:
    return _WORDS.findall(re.sub(r"\[\d+\]", " ", text).lower())
