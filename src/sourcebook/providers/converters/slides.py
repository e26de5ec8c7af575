"""Converts slides (PPTX): titles, text, tables and notes, slide by slide."""

import io
from collections.abc import Iterator
from typing import cast

from pptx import Presentation
from pptx.exc import PackageNotFoundError
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import Slide
from pptx.text.text import TextFrame

from sourcebook.core.documents import ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.archives import open_archive
from sourcebook.providers.converters.text_builder import TextBuilder, table_head, table_row

MAX_SLIDES = 5_000


def convert(content: bytes) -> ConvertedDocument:
    """Convert a presentation. Slides are counted from 1."""
    open_archive(content).close()
    try:
        presentation = Presentation(io.BytesIO(content))
    except (PackageNotFoundError, KeyError, ValueError):
        raise BookUnreadable(
            "It is no presentation, or damaged; open it and save it again"
        ) from None
    builder = TextBuilder()
    for number, slide in enumerate(presentation.slides, 1):
        if number > MAX_SLIDES:
            raise BookUnreadable(f"It has more than {MAX_SLIDES:,} slides; divide it")
        builder.add("\n\n".join(_parts(slide, number)), Location(0, 0, slide=number))
    return builder.build(presentation.core_properties.title)


def _parts(slide: Slide, number: int) -> Iterator[str]:
    title = slide.shapes.title
    words = " ".join(title.text_frame.text.split()) if title is not None else ""
    yield f"## {words or f'Slide {number}'}"
    for shape in slide.shapes:
        if title is None or shape.shape_id != title.shape_id:
            yield from _shape(shape)
    if slide.has_notes_slide:
        notes = slide.notes_slide.notes_text_frame
        if notes is not None and notes.text.strip():
            yield f"Notes: {notes.text.strip()}"


def _shape(shape: BaseShape) -> Iterator[str]:
    if isinstance(shape, GroupShape):
        for inside in shape.shapes:
            yield from _shape(inside)
    elif shape.has_text_frame:
        text = _text(cast("TextFrame", getattr(shape, "text_frame")))  # noqa: B009
        if text.strip():
            yield text
    elif isinstance(shape, GraphicFrame) and shape.has_table:
        head, *rows = [[cell.text for cell in row.cells] for row in shape.table.rows] or [[]]
        yield "\n".join([table_head(head), *(table_row(row) for row in rows)])


def _text(frame: TextFrame) -> str:
    """Return one paragraph as text, several as a list."""
    lines = [(each.level, " ".join(each.text.split())) for each in frame.paragraphs]
    lines = [(level, text) for level, text in lines if text]
    if len(lines) == 1:
        return lines[0][1]
    return "\n".join(f"{'  ' * level}- {text}" for level, text in lines)
