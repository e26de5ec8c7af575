"""The sections of a book's chunk, as ingestion records them in its metadata."""

from collections.abc import Iterator
from dataclasses import dataclass

from sourcebook.core.metadata import JsonValue, Metadata


@dataclass(frozen=True, slots=True)
class ChunkSection:
    """A heading, and from which character of the chunk's text on it applies."""

    start: int
    title: str
    anchor: str


def sections_of(about: Metadata) -> list[ChunkSection]:
    """Return the sections in order; none if the chunk is under no heading."""
    return _read(about, "section")


def each_section(about: Metadata) -> Iterator[Metadata]:
    """Yield the metadata of a chunk as each of its sections would have them, were it alone."""
    for section in sections_of(about):
        alone: Metadata = {"section_titles": [section.title], "section_anchors": [section.anchor]}
        yield {**about, **alone}


def section_of_part(about: Metadata, part: int) -> ChunkSection | None:
    """Return the section that most of a part is under: a part is what a vector stands for."""
    parts = _read(about, "part")
    return parts[part] if part < len(parts) else None


def part_count(about: Metadata) -> int:
    """Return how many parts of the chunk have a vector of their own."""
    return max(1, len(_list(about.get("part_starts"))))


def _read(about: Metadata, kind: str) -> list[ChunkSection]:
    names = (f"{kind}_starts", f"{kind}_titles", f"{kind}_anchors")
    return [
        ChunkSection(start, title, anchor)
        for start, title, anchor in zip(*(_list(about.get(name)) for name in names), strict=False)
        if isinstance(start, int) and isinstance(title, str) and isinstance(anchor, str)
    ]


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
