"""Answers what something is from where it is said: "What is Kubernetes?" in Kubernetes' own docs.

Every page of a book has the name of its subject, so that the nearest passages tell of anything but
what it is. The sentence that does mostly stands in an introduction.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from sourcebook.answering.evidence import Passage, renumbered
from sourcebook.answering.page_hints import Retrieval
from sourcebook.answering.question_kinds import defining_sentence, question_kind, subject_of
from sourcebook.answering.retriever import Retrieved
from sourcebook.answering.side_matter import SideMatter
from sourcebook.core.answers import Question
from sourcebook.core.errors import SourcebookError
from sourcebook.search.words import content_words

# So many passages are looked at for a sentence that says what the subject is.
LOOKED_AT = 100
# So many of the passages that an answer is made of may come from there.
MAX_ADDED = 2
MAX_SUBJECT_WORDS = 3


async def with_definition(
    retriever: Retrieval, question: Question, understood: str, found: Retrieved
) -> Retrieved:
    """What was found; in the place of its last passages such as say what the question's subject is.

    That is only looked for if no passage says it. The question's bounds hold for them too.
    """
    subject = subject_of(understood) if question_kind(understood) == "definition" else None
    # "What is it?" names nothing that a sentence could begin with.
    if subject is None or not content_words(subject) or not found.passages:
        return found
    if len(subject.split()) > MAX_SUBJECT_WORDS:
        return found
    defining, beside = defining_sentence(subject), SideMatter(understood)
    if any(_is_told(defining, one, beside) for one in found.passages):
        return found
    try:
        looked_at = await retriever.retrieve(
            replace(question, top_k=LOOKED_AT), f"What is {subject}? Introduction and overview"
        )
    except SourcebookError:
        return found
    added = [one for one in looked_at.passages if _is_told(defining, one, beside)][:MAX_ADDED]
    return replace(found, passages=_joined(found.passages, added, question.top_k))


def _is_told(defining: re.Pattern[str], passage: Passage, beside: SideMatter) -> bool:
    """Whether a passage says what something is, and not only what it was in some release."""
    found = defining.finditer(passage.text)
    return any(not beside.holds_at(passage, one.start()) for one in found)


def _joined(found: Sequence[Passage], added: Sequence[Passage], count: int) -> tuple[Passage, ...]:
    kept = [*found[: max(1, count - len(added))], *added][: max(count, len(found))]
    return renumbered(kept)
