"""Converts Jupyter notebooks: the text and the code of the cells, and short outputs of text."""

import json
from collections.abc import Iterator

from sourcebook.core.documents import ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.converters.text_builder import TextBuilder

# A longer output is a log, not something to cite.
MAX_OUTPUT_CHARACTERS = 2_000
_FENCE = "```"


def convert(content: bytes) -> ConvertedDocument:
    """Convert a notebook. Cells are counted from 1."""
    try:
        notebook: JsonValue = json.loads(content)
    except (ValueError, RecursionError):
        raise BookUnreadable("The notebook is no valid JSON; save it again in Jupyter") from None
    about = _object(_object(notebook).get("metadata"))
    language = _text(_object(about.get("language_info")).get("name")) or "python"
    builder = TextBuilder()
    for number, cell in enumerate(_list(_object(notebook).get("cells")), 1):
        text = "\n\n".join(_parts(_object(cell), language))
        builder.add(text, Location(0, 0, cell=number))
    return builder.build(_text(about.get("title")))


def _parts(cell: dict[str, JsonValue], language: str) -> Iterator[str]:
    source = _text(cell.get("source")).strip("\n")
    match cell.get("cell_type"):
        case "markdown" | "raw":
            yield source
        case "code" if source.strip():
            yield _fenced(source, language)
            for output in _list(cell.get("outputs")):
                shown = _output(_object(output)).strip("\n")
                if shown.strip() and len(shown) <= MAX_OUTPUT_CHARACTERS:
                    yield _fenced(shown, "text")


def _output(output: dict[str, JsonValue]) -> str:
    """Return an output as text; errors, pictures and widgets are left out."""
    if output.get("output_type") == "stream":
        return _text(output.get("text"))
    return _text(_object(output.get("data")).get("text/plain"))


def _fenced(text: str, language: str) -> str:
    fence = _FENCE
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _text(value: JsonValue) -> str:
    """Return a text that a notebook may hold as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}
