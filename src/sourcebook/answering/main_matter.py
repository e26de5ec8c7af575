"""Finds what tells of the subject itself where the nearest passages only name it.

A textbook's learning objectives, deliverables and literature are full of the words that are asked
for.
"""

from dataclasses import replace

from sourcebook.answering.evidence import renumbered
from sourcebook.answering.page_hints import Retrieval
from sourcebook.answering.retriever import Retrieved
from sourcebook.answering.side_matter import SideMatter
from sourcebook.core.answers import Question
from sourcebook.core.errors import SourcebookError

# So many passages are looked at for such as tell of the subject itself.
LOOKED_AT = 20


async def with_main_matter(
    retriever: Retrieval, question: Question, understood: str, searched: str, found: Retrieved
) -> Retrieved:
    """What was found; in the place of passages beside the subject the next that are about it.

    The question's bounds hold for them too.
    """
    beside = SideMatter(understood)
    main = [one for one in found.passages if not beside.holds(one)]
    lacking = len(found.passages) - len(main)
    if not lacking:
        return found
    wider = replace(question, top_k=max(LOOKED_AT, 2 * question.top_k))
    try:
        looked_at = (await retriever.retrieve(wider, searched)).passages
    except SourcebookError:
        return found
    known = {one.source.chunk_id for one in found.passages}
    others = [one for one in looked_at if one.source.chunk_id not in known]
    added = [one for one in others if not beside.holds(one)][:lacking]
    kept = [one for one in found.passages if one not in main][: lacking - len(added)]
    return replace(found, passages=renumbered([*main, *added, *kept]))
