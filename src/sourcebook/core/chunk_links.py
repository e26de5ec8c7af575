"""Links the chunks of a document in reading order."""

from collections.abc import Sequence
from dataclasses import replace

from sourcebook.core.documents import Chunk, Links


def link_chunks(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks of one version in reading order, each with its place and its neighbours.

    Where they stand in the text decides; their ordinals do only if that is not known of all.
    """
    ordered = _in_reading_order(chunks)
    ids = [None, *(chunk.id for chunk in ordered), None]
    return [
        replace(chunk, ordinal=place, links=Links(ids[place], ids[place + 2], len(ordered)))
        for place, chunk in enumerate(ordered)
    ]


def misplaced_chunks(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Those of a version's chunks whose order or links are wrong, as they should be."""
    found = {chunk.id: chunk for chunk in chunks}
    return [chunk for chunk in link_chunks(chunks) if chunk != found[chunk.id]]


def _in_reading_order(chunks: Sequence[Chunk]) -> list[Chunk]:
    # By their ends: a chunk may begin with all of the one before.
    ends = {chunk.id: chunk.extent.end for chunk in chunks if chunk.extent is not None}
    if all(chunk.id in ends for chunk in chunks):
        return sorted(chunks, key=lambda chunk: ends[chunk.id])
    return sorted(chunks, key=lambda chunk: chunk.ordinal)
