"""Answers what a book is about: with the book's own introduction."""

import re
import sys
from collections.abc import Sequence

from sourcebook.answering.evidence import Passage, renumbered
from sourcebook.answering.small_talk import strip_courtesies

_BOOK = r"""(?:this|the|these|your)\ (?:book|docs?|documents?|documentation|site|website|manual
    |guide|handbook|course|tutorial|wiki|project|knowledge\ base|library)"""
_OF_THE_BOOK = re.compile(
    rf"""(?:please\ )?(?:
      what(?:'s|\ is|\ are)\ {_BOOK}\ (?:all\ )?(?:about|for)
    | what(?:'s|\ is)\ in\ {_BOOK}
    | what\ (?:does|do)\ {_BOOK}\ (?:cover|contain|teach(?:\ me)?|describe|explain|deal\ with)
    | what\ (?:can|will)\ (?:i|we)\ (?:learn|find)(?:\ (?:in|from|here\ in)\ {_BOOK}|\ here)
    | (?:summari[sz]e|describe|introduce)\ {_BOOK}(?:\ to\ me)?
    | (?:give\ me\ )?(?:a\ summary|an\ overview)\ of\ {_BOOK}
    | who\ (?:is|are)\ {_BOOK}\ (?:written\ |meant\ |intended\ )?for
    | worum\ geht\ es\ in\ diese[mr]\ \w{{1,30}}
    | de\ quoi\ parle\ (?:ce|cette)\ \w{{1,30}}
    | ¿?de\ qu[eé]\ trata\ est[ea]\ \w{{1,30}}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# What an introduction is called, and says.
QUERY = "Introduction: what this book is about, what it covers, and who it is for"
# So many openings are looked at: every chapter may have an introduction of its own.
LOOKED_AT = 20
# `module-1/intro.md` introduces the module.
_PART = re.compile(
    r"\b(?:module|chapter|part|unit|week|lesson|section|volume|modul|kapitel|teil|chapitre|partie"
    r"|capítulo|parte)[ _-]?\d",
    re.IGNORECASE,
)
_INTRODUCTORY = re.compile(
    r"\b(?:introduction|intro|overview|about|welcome|preface|foreword|readme|index|home|einleitung"
    r"|einführung|vorwort|überblick|avant-propos|présentation|introducción|prólogo|prefacio)\b",
    re.IGNORECASE,
)


def asks_about_book(question: str) -> bool:
    """Return whether a question is about the book as a whole: "What is this book about?"."""
    plain = " ".join(strip_courtesies(question).replace("’", "'").split()).rstrip("?!.… ")
    return _OF_THE_BOOK.fullmatch(plain) is not None


def introduction(passages: Sequence[Passage]) -> Passage | None:
    """The passage in which a book says what it is about.

    Of those that are called so, the one in the outermost folder, then one that is no numbered part
    of the book, then the one whose path says it most often (`intro/index.md`); of a file, its
    beginning; among equals the nearest.
    """
    found = [one for one in passages if _INTRODUCTORY.search(_name(one))]
    return min(found, key=_place, default=None)


def introduction_first(passages: Sequence[Passage], count: int) -> tuple[Passage, ...]:
    """So many passages, numbered from 1: the introduction, then the nearest."""
    first = introduction(passages)
    others = [one for one in passages if one is not first]
    chosen = ([] if first is None else [first]) + others
    return renumbered(chosen[:count])


def _name(passage: Passage) -> str:
    source = passage.source
    file = (source.file or "").replace("_", " ").replace("/", " ")
    return f"{source.title} {source.heading} {file}"


def _place(passage: Passage) -> tuple[int, bool, int, int]:
    """How deep its file lies, and where it begins in it; what has no place comes last."""
    file, extent = (passage.source.file or "").replace("_", " "), passage.extent
    start = extent.spans[0].start if extent and extent.spans else sys.maxsize
    is_part = _PART.search(f"{file} {passage.source.title}") is not None
    said = len(_INTRODUCTORY.findall(file))
    return file.count("/"), is_part, -said, start
