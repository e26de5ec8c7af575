"""Makes questions from a lesson: of its title, its headings and its first sentence."""

import re

from sourcebook.core.documents import WholeDocument
from sourcebook.core.heading_questions import (
    clean_heading,
    definition_of,
    is_generic,
    question_in,
    topic_in,
)
from sourcebook.core.lesson_headings import headings_of

# Part of a book's state: raise it when the same lesson would give other questions.
QUESTIONS_VERSION = 1
MAX_HEADING_LENGTH = 120

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PARAGRAPH_GAP = re.compile(r"\n[ \t]*\n")
_HEADING_LINE = re.compile(r"^#{1,6}\s[^\n]*$", re.MULTILINE)
# How lists, tables, quotes, rules, tags, images, notes and code begin.
_NO_PROSE = re.compile(r"[-*+•]\s|\d+[.)]\s|[|>:=<]|!\[|---|\*\*\*|\{|import |export ")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")
_MARKUP = re.compile(r"[`*]|<[^<>]*>|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_SENTENCE = re.compile(r".{20,240}?(?:[.!?…][\"'”’)\]]*(?=\s|$)|[。！？])")
# Templates of site generators: what readers see is something else.
_TEMPLATE = ("{{", "{%")


def questions_about(lesson: WholeDocument) -> list[str]:
    """Return the questions that a search should answer with this lesson, each once."""
    found = headings_of(lesson)
    questions = [question_about(heading) for heading in (found.title or "", *found.headings)]
    questions.append(first_sentence(lesson.chunks[0].text) if lesson.chunks else None)
    return list(dict.fromkeys(question for question in questions if question))


def question_about(heading: str) -> str | None:
    """Return what a heading asks, else what the thing is that it names, else the heading.

    None if it only says what its section is for.
    """
    if len(heading) > MAX_HEADING_LENGTH or is_generic(heading) or _is_template(heading):
        return None
    if (question := question_in(heading)) is not None:
        return question
    text, topic = clean_heading(heading), topic_in(heading)
    if topic is None:
        return text if len(text.split()) > 1 else None
    # Only an English heading can be put into an English question.
    return definition_of(topic) if text.isascii() else text


def first_sentence(text: str) -> str | None:
    """Return the first sentence of the first paragraph that is prose; None if it is not clear."""
    prose = _HEADING_LINE.sub("\n", _COMMENT.sub("", _FENCE.sub("\n\n", text)))
    for paragraph in _PARAGRAPH_GAP.split(prose):
        stripped = paragraph.strip()
        if not stripped or _NO_PROSE.match(stripped):
            continue
        plain = " ".join(_MARKUP.sub("", _LINK.sub(r"\1", stripped)).split())
        sentence = _SENTENCE.match(plain)
        return None if sentence is None or _is_template(sentence[0]) else sentence[0]
    return None


def _is_template(text: str) -> bool:
    return any(mark in text for mark in _TEMPLATE)
