"""No text makes a regular expression take more than in proportion to its length."""

import re
import time
from collections.abc import Iterator

import pytest

from tests.attack import LONG
from tests.attack.patterns import Expression, expressions, made_in_functions, pumps

LENGTHS = (24, 240, 24_000) if LONG else (24, 240, 3_000)
# What takes less CPU time than this is not measured any closer.
UNSUSPICIOUS_S = LENGTHS[-1] * 1e-6
# Four times the text may take four times as long; what is quadratic takes sixteen times.
MAX_GROWTH = 10.0
REPEATED = (
    *"`\n\r\t [](){}<>|*_=-~#>.!?,;:'\"\\/@&a0A。é",
    *("a ", "a. ", "`a", "`a. ", "```\n", "[[1]2]", "[1] ", "[a](", "- ", "1. ", "> ", "| a "),
    *(
        "<a ",
        "<!--",
        "{/*",
        "{#",
        "http://",
        "www.",
        "a-",
        "a\n",
        "\n ",
        "\n\n",
        "\n> ",
        "import a\n",
    ),
)
# Read only what is short, or only what the operator of the service wrote.
BOUNDED = {
    "sourcebook.answering.citation_markers._AT_END": "reads MAX_MARKER_LENGTH characters",
    "sourcebook.text.sentence_ends._LAST_WORD": "reads MAX_LOOK_BACK characters",
    "sourcebook.providers.embedders.ollama._MODEL_MISSING": "reads MAX_ERROR_BYTES",
    "sourcebook.providers.embedders.remote.errors._TOO_LONG": "reads MAX_ERROR_BYTES",
}
# Functions that make a pattern themselves: of literals, or of escaped text before a fixed end.
MADE_IN_FUNCTIONS = {
    "sourcebook.answering.citation_markers",
    "sourcebook.answering.proof.openings",
    "sourcebook.answering.proof.spelling",
    "sourcebook.answering.small_talk",
    "sourcebook.answering.topics",
    "sourcebook.cli.snippets",
    "sourcebook.evaluation.answers",
    "sourcebook.ingestion.book.frontmatter",
    "sourcebook.ingestion.book.path_template",
    "sourcebook.text.word_files",
}


def texts(pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """What comes first, what comes again and again, and what keeps the end from fitting."""
    for before, again in {*pumps(pattern), *(("", one) for one in REPEATED)}:
        if again:
            yield before, again, "\x00"
            yield "", before + again, ""


def cpu_s(expression: Expression, method: str, text: str) -> float:
    started_s = time.thread_time()
    if method == "sub":
        expression.pattern.sub("", text)
    elif method == "finditer":
        for _ in expression.pattern.finditer(text):
            pass
    else:
        getattr(expression.pattern, method)(text)
    return time.thread_time() - started_s


def built(parts: tuple[str, str, str], length: int) -> str:
    before, again, after = parts
    return before + again * (length // len(again)) + after


def growth(expression: Expression, method: str, parts: tuple[str, str, str], length: int) -> float:
    """How many times longer a text takes than a quarter of it; the best of three attempts."""
    longer, shorter = (
        min(cpu_s(expression, method, built(parts, size)) for _ in range(3))
        for size in (length, length // 4)
    )
    return longer / max(shorter, 1e-6)


def is_slow(expression: Expression, method: str, parts: tuple[str, str, str]) -> bool:
    # From short to long: what is exponential would never come to an end.
    for length in LENGTHS:
        if cpu_s(expression, method, built(parts, length)) > UNSUSPICIOUS_S:
            return growth(expression, method, parts, length) > MAX_GROWTH
    return False


def slow_case(expression: Expression) -> tuple[str, tuple[str, str, str]] | None:
    cases = (
        (method, parts) for method in expression.methods for parts in texts(expression.pattern)
    )
    return next((one for one in cases if is_slow(expression, *one)), None)


def test_no_expression_takes_more_than_in_proportion_to_the_text() -> None:
    found = [one for one in expressions() if one.name not in BOUNDED]
    slow = {one.name: case for one in found if (case := slow_case(one))}

    assert len(found) > 100
    assert slow == {}


def test_every_exception_is_still_needed() -> None:
    names = {one.name for one in expressions()}

    assert set(BOUNDED) <= names


def test_a_function_that_makes_a_pattern_of_its_own_is_known() -> None:
    assert set(made_in_functions()) == MADE_IN_FUNCTIONS


@pytest.mark.parametrize(
    ("pattern", "method"),
    [(r"^\s*\[", "finditer"), (r"<[^>]*>", "sub")],
)
def test_a_quadratic_expression_would_be_found(pattern: str, method: str) -> None:
    planted = Expression("planted", re.compile(pattern, re.MULTILINE), (method,))

    assert slow_case(planted)
