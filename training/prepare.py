"""Joins the question sets with their passages, and marks which statements answer."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from training.questions import (
    CASES_FILE,
    DEVELOPMENT,
    FOLDER,
    PASSAGES_FILE,
    SETS,
    Case,
    Line,
    Passage,
    hash_of,
    read_cases,
    read_corpus,
    save_lines,
)
from training.statements import Span, spans_of, statement_at

# Nothing is trained on these, not even as what does not answer.
HELD_OUT_CORPORA = frozenset({"docusaurus", "prometheus", "vue"})


def prepare(data: Path, out: Path, questions: Path = FOLDER) -> dict[str, int]:
    """Write passages and cases, and return how many cases there are of each set."""
    corpus = {
        key: one for key, one in read_corpus(data).items() if one.corpus not in HELD_OUT_CORPORA
    }
    cases = {
        name: list(read_cases(name, corpus, questions))
        for name in (*SETS, *(f"{one}{DEVELOPMENT}" for one in SETS))
    }
    passages, aside = dict(corpus), set()
    for name, case in ((name, case) for name, some in cases.items() for case in some):
        found = {hash_of(one.text): one for one in case.passages}
        passages |= found
        aside |= set(found) if name.endswith(DEVELOPMENT) else set()
    spans = {key: spans_of(one.text) for key, one in passages.items()}
    out.mkdir(parents=True, exist_ok=True)
    lines = (_passage(one, spans[key], key in aside) for key, one in passages.items())
    save_lines(out / PASSAGES_FILE, lines)
    numbers = {key: number for number, key in enumerate(passages)}
    save_lines(
        out / CASES_FILE,
        (_case(name, case, numbers, spans) for name, some in cases.items() for case in some),
    )
    return {name: len(some) for name, some in cases.items()}


def _passage(passage: Passage, spans: list[Span], aside: bool) -> Line:
    return asdict(passage) | {"spans": spans, "aside": aside}


def _case(
    name: str, case: Case, numbers: Mapping[str, int], spans: Mapping[str, list[Span]]
) -> Line:
    keys = [hash_of(one.text) for one in case.passages]
    return {
        "set": name,
        "passages": [numbers[key] for key in keys],
        "answered": list(_answered(case, [spans[key] for key in keys])),
        "missing": [*case.missing, *case.foreign],
    }


def _answered(case: Case, spans: list[list[Span]]) -> Iterator[Line]:
    """The questions with the numbers of their statements, if anything is there to be quoted."""
    for one in case.answered:
        found = {(place, statement_at(spans[place], start)) for place, start in one.places}
        right = sorted((place, number) for place, number in found if number is not None)
        if right:
            yield {"question": one.question, "right": right}
