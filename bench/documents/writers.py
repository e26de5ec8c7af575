"""Writes documents of every format, with nothing but what the project installs."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from html import escape

from tests import document_files as make

from bench.documents.pdf_writer import write_pdf
from bench.documents.source import Block, SourceDocument

Write = Callable[[SourceDocument], bytes]
_TAGS = {"paragraph": "p", "item": "li", "code": "pre"}
_ESCAPED = re.compile(r"([\\`*_\[\]<>#|~])")
_UNDERLINES = "=-~^\"'"


def write_markdown(document: SourceDocument) -> bytes:
    """Write markdown, from which programs make other formats."""
    return "\n\n".join(map(_markdown, document.blocks)).encode()


def _markdown(block: Block) -> str:
    text = _ESCAPED.sub(r"\\\1", block.text)
    match block.kind:
        case "heading":
            return f"{'#' * block.level} {text}"
        case "item":
            return f"- {text}"
        case "code":
            return f"~~~~\n{block.text}\n~~~~"
    return text


def _html_body(blocks: list[Block], first_id: int = 0) -> str:
    return "\n".join(_element(block, first_id + at) for at, block in enumerate(blocks))


def _element(block: Block, number: int) -> str:
    text = escape(block.text)
    if block.kind == "heading":
        return f'<h{block.level} id="part-{number}">{text}</h{block.level}>'
    tag = _TAGS[block.kind]
    return f"<ul><li>{text}</li></ul>" if tag == "li" else f"<{tag}>{text}</{tag}>"


def _html(document: SourceDocument) -> bytes:
    frame = "<header><a href='/'>Home</a></header><nav><a href='/a'>All pages</a></nav>"
    body = _html_body(list(document.blocks))
    return f"<!doctype html><html><body>{frame}<main>{body}</main></body></html>".encode()


def _epub(document: SourceDocument) -> bytes:
    chapters: dict[str, list[Block]] = {}
    for heading, below in document.sections():
        if (heading is not None and heading.level == 1) or not chapters:
            chapters[f"chapter-{len(chapters) + 1}.xhtml"] = []
        last = list(chapters)[-1]
        chapters[last] += [*([heading] if heading else []), *below]
    return make.epub({name: _html_body(blocks) for name, blocks in chapters.items()})


def _docx(document: SourceDocument) -> bytes:
    return make.docx("".join(_word(block, at) for at, block in enumerate(document.blocks)))


def _word(block: Block, number: int) -> str:
    text = escape(block.text)
    if block.kind != "heading":
        return "".join(make.word_paragraph(line) for line in text.split("\n"))
    start = f'<w:bookmarkStart w:id="{number}" w:name="_Toc{number}"/>'
    style = f'<w:pPr><w:pStyle w:val="Heading{min(block.level, 3)}"/></w:pPr>'
    return f'<w:p>{style}{start}<w:r><w:t>{text}</w:t></w:r><w:bookmarkEnd w:id="{number}"/></w:p>'


def _odt(document: SourceDocument) -> bytes:
    return make.odt("".join(_open_element(block, at) for at, block in enumerate(document.blocks)))


def _open_element(block: Block, number: int) -> str:
    text = escape(block.text)
    match block.kind:
        case "heading":
            mark = f'<text:bookmark text:name="part-{number}"/>'
            return f'<text:h text:outline-level="{block.level}">{mark}{text}</text:h>'
        case "item":
            return (
                f"<text:list><text:list-item><text:p>{text}</text:p></text:list-item></text:list>"
            )
    return "".join(f"<text:p>{line}</text:p>" for line in text.split("\n"))


def _pptx(document: SourceDocument) -> bytes:
    return make.pptx(
        [
            (heading.text if heading else document.name, "\n".join(one.text for one in below))
            for heading, below in document.sections()
        ]
    )


def _rst(document: SourceDocument) -> bytes:
    return "\n\n".join(map(_rst_block, document.blocks)).encode()


def _rst_block(block: Block) -> str:
    text = re.sub(r"([\\`*_|])", r"\\\1", block.text)
    match block.kind:
        case "heading":
            return f"{text}\n{_UNDERLINES[block.level - 1] * len(text)}"
        case "item":
            return f"- {text}"
        case "code":
            return "::\n\n" + "\n".join(f"    {line}" for line in block.text.split("\n"))
    return text


def _notebook(document: SourceDocument) -> bytes:
    cells = [
        {"cell_type": "code", "source": block.text, "outputs": [], "metadata": {}}
        if block.kind == "code"
        else {"cell_type": "markdown", "source": _markdown(block), "metadata": {}}
        for block in document.blocks
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _csv(document: SourceDocument) -> bytes:
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(["section", "text"])
    for heading, below in document.sections():
        rows.writerows([heading.text if heading else "", block.text] for block in below)
    return written.getvalue().encode()


def _text(document: SourceDocument) -> bytes:
    return "\n\n".join(block.text for block in document.blocks).encode()


# By the ends of their names.
OUR_WRITERS: Mapping[str, Write] = {
    "pdf": write_pdf,
    "html": _html,
    "docx": _docx,
    "odt": _odt,
    "epub": _epub,
    "pptx": _pptx,
    "rst": _rst,
    "ipynb": _notebook,
    "csv": _csv,
    "txt": _text,
}
