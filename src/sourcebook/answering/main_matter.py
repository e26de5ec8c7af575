"""Finds what tells of the subject itself where the nearest passages only name it.

A textbook's learning objectives, deliverables and literature are full of the words that are asked
for.
"""

from dataclasses import replace

from sourcebook.answering.evidence import Passage, renumbered
from sourcebook.answering.page_hints import Retrieval
from sourcebook.answering.retriever import Retrieved
from sourcebook.answering.side_matter import SideMatter
from sourcebook.core.answers import Question
from sourcebook.core.errors import SourcebookError

# So many passages are looked at for such as tell of the subject itself.
LOOKED_AT = 20
# Of the score of the passage that gives way: what is far from the question tells nothing.
MIN_SHARE = 0.75


async def with_main_matter(
    retriever: Retrieval, question: Question, understood: str, searched: str, found: Retrieved
) -> Retrieved:
    """What was found; in the place of passages beside the subject the next that are about it.

    The nearest passage stays, whatever it is. The question's bounds hold for the others too.
    """
    side_matter = SideMatter(found.corrected or understood)
    main: list[Passage] = [*found.passages[:1]]
    beside: list[Passage] = []
    for one in found.passages[1:]:
        (beside if side_matter.holds(one) else main).append(one)
    if not beside:
        return found
    wider = replace(question, top_k=max(LOOKED_AT, 2 * question.top_k))
    try:
        looked_at = (await retriever.retrieve(wider, searched)).passages
    except SourcebookError:
        return found
    known = {one.source.chunk_id for one in found.passages}
    others = [one for one in looked_at if one.source.chunk_id not in known]
    least = MIN_SHARE * beside[0].score
    added = [one for one in others if one.score >= least and not side_matter.holds(one)]
    kept = beside[: max(0, len(beside) - len(added))]
    return replace(found, passages=renumbered([*main, *added[: len(beside)], *kept]))
