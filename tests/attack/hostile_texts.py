"""Texts that are made to take long: one thing again and again, or one inside the other."""

from collections.abc import Iterator

REPEATED = (
    *("`", "\n", "[", "`a. ", "[1] ", "`a` [1] ", "[[1]2]", "[a](", "http://", "< ", "<!--"),
    *("- a\n", "| a ", "> ", "```\n", "not a, ", "and a ", "a. ", "؟ ", "1-2 ", "e.g. ", "{"),
    *("[a](b). ", "[a](b)\n", "<p>a", "# a\n\n", "a:\n\n- a\n\n", "a\n: a\n\n", "A: a\n", "a. :\n"),
    *("| a |\n| - |\n| a |\n\n", "<dt>a</dt><dd>a</dd>", "Problem: a\n\nCause: a\n\n", "$a_$ "),
)
NESTED = (("[", "1]"), ("【", "1】"), ("(", ")"), ("`", "`"))


def hostile_texts(length: int) -> Iterator[str]:
    """Each of about so many characters."""
    for one in REPEATED:
        yield one * (length // len(one))
    for opening, closing in NESTED:
        depth = length // (len(opening) + len(closing))
        yield opening * depth + "1" + closing * depth
