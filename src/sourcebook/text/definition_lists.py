"""Reads definition lists: "Term", and in the lines after it ": what it means".

Markdown Extra, Pandoc, kramdown and MkDocs have them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.documents import Span
from sourcebook.text.sentences import split_sentences

# Only the first sentence of a longer definition is quoted with its term.
MAX_DEFINITION = 500
MAX_TERM = 80
# Several terms can have the same meaning.
MAX_TERMS = 3
_MEANING = re.compile(r"[ ]{0,3}:[ \t]++(?=\S)")
# What begins another block.
_MARK = re.compile(
    r"[ \t]*+(?:[-*+]\s|-++\s*+\Z|[>|#=]|```|~~~|\d{1,9}[.)]\s|:::|!!![ \t]|\.\.\s"
    r"|\{:[^{}\r\n]*+\}\s*+\Z)"
)
# What is said of a setting in a line of its own: `Default: 30`, `Type: string`.
_FACT = re.compile(
    r"[ ]{0,4}[*_]{0,2}(?:default(?:s|\ values?)?|types?|required|allowed\ values|possible\ values"
    r"|valid\ values|range|units?|minimum|maximum|environment\ variable)[*_]{0,2}:[*_]{0,2}"
    r"[ \t]++\S[^\r\n]{0,80}(?<![:*_ ])[*_]{0,2}\Z",
    re.IGNORECASE,
)
MAX_FACTS = 4


@dataclass(frozen=True, slots=True)
class Definition:
    """A term, what it means, single facts of it, and the number of the line after them."""

    term: Span
    meanings: tuple[Span, ...]
    facts: tuple[Span, ...]
    after: int


def quotable_meanings(
    plain: str, term: Span, meanings: Sequence[Span], facts: Sequence[Span] = ()
) -> tuple[Span, ...]:
    """All that is said of a term; without the facts, or its first sentence, if that is too long."""
    for said in ((*meanings, *facts), tuple(meanings)):
        if said[-1].end - term.start <= MAX_DEFINITION:
            return said
    first = meanings[0]
    sentence = split_sentences(plain[first.start : first.end])[0]
    return (Span(first.start, first.start + sentence.end),)


def read_definition(
    plain: str,
    lines: Sequence[tuple[int, int]],
    first: int,
    before: Definition | None = None,
) -> Definition | None:
    """The entry of a definition list that begins with a line, after the entry `before`.

    A fact after the last of several entries may be one of the whole list, unless that has facts of
    its own, too.
    """
    at = _after_terms(plain, lines, first)
    if at == first:
        return None
    term, meanings = Span(lines[first][0], lines[at - 1][1]).trimmed(plain), []
    while (begin := _next_meaning(plain, lines, at)) is not None:
        at = begin + 1
        while at < len(lines) and _goes_on(plain[slice(*lines[at])]):
            if _begins_entry(plain, lines, at):
                break
            at += 1
        text = Span(plain.index(":", lines[begin][0]) + 1, lines[at - 1][1])
        meanings.append(text.trimmed(plain))
    if not meanings:
        return None
    facts, after = read_facts(plain, lines, at)
    if before and not before.facts and not _is_entry_after(plain, lines, after):
        facts, after = (), at
    return Definition(term, tuple(meanings), facts, after)


def read_facts(
    plain: str, lines: Sequence[tuple[int, int]], at: int
) -> tuple[tuple[Span, ...], int]:
    """The paragraphs of one line that say a single thing of what stands above, and the line after.

    HTML pages have them in the entries of their definition lists, and under headings.
    """
    facts: list[Span] = []
    after = at
    while len(facts) < MAX_FACTS and at + 1 < len(lines) and not plain[slice(*lines[at])].strip():
        line = Span(*lines[at + 1])
        is_alone = at + 2 >= len(lines) or not plain[slice(*lines[at + 2])].strip()
        if not is_alone or not _FACT.match(plain[line.start : line.end].rstrip()):
            break
        facts.append(line.trimmed(plain))
        at = after = at + 2
    return tuple(facts), after


def _is_entry_after(plain: str, lines: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether the next entry comes after an empty line."""
    at += at < len(lines) and not plain[slice(*lines[at])].strip()
    after = _after_terms(plain, lines, at)
    return after > at and _next_meaning(plain, lines, after) is not None


def _after_terms(plain: str, lines: Sequence[tuple[int, int]], first: int) -> int:
    """The line after the terms that begin with a line."""
    at = first
    while at < min(len(lines), first + MAX_TERMS) and _is_term(plain[slice(*lines[at])]):
        at += 1
    return at


def _is_term(line: str) -> bool:
    """Whether a line can be a term: short, and no end of a sentence."""
    return (
        _goes_on(line) and len(line.strip()) <= MAX_TERM and not line.rstrip().endswith((".", ","))
    )


def _goes_on(line: str) -> bool:
    """Whether a line belongs to the paragraph before it."""
    return bool(line.strip()) and not _MARK.match(line) and not _MEANING.match(line)


def _begins_entry(plain: str, lines: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether a line is the next term: `: what it means` comes right after it."""
    line, after = plain[slice(*lines[at])], at + 1
    is_marked = after < len(lines) and _MEANING.match(plain[slice(*lines[after])]) is not None
    return is_marked and not line[0].isspace() and _is_term(line)


def _next_meaning(plain: str, lines: Sequence[tuple[int, int]], at: int) -> int | None:
    """The line of the next meaning, which an empty line may stand before."""
    if at < len(lines) and not plain[slice(*lines[at])].strip():
        at += 1
    return at if at < len(lines) and _MEANING.match(plain[slice(*lines[at])]) else None
