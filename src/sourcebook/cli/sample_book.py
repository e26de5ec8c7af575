"""The sample book as documents, one for each `##` section: for the benchmarks."""

import itertools
import re
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import yaml

from sourcebook.core.documents import Document
from sourcebook.core.metadata import JsonValue

_FRONT_MATTER = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_PLACE = re.compile(r"module-\d+-(?P<module>[^/]+)/(?:chapter-(?P<chapter>\d+)-[^/]+/)?")
_KEPT = ("title", "description", "hardware_tier", "proficiency_level", "layer")


def read_sample_book() -> list[Document]:
    """Every section of every lesson."""
    with as_file(files("sourcebook.samples") / "book") as root:
        return [
            document
            for path in sorted(root.rglob("*.md"))
            for document in _sections(path, path.relative_to(root).as_posix())
        ]


def _sections(path: Path, source_file: str) -> Iterator[Document]:
    text = path.read_text("utf-8")
    front_matter = _FRONT_MATTER.match(text)
    assert front_matter is not None, source_file  # noqa: S101 - we wrote the book
    settings = yaml.safe_load(front_matter[1])
    place = _PLACE.match(source_file)
    assert place is not None, source_file  # noqa: S101 - we wrote the book
    about: dict[str, JsonValue] = {key: settings[key] for key in _KEPT if key in settings}
    about |= {"source_file": source_file, "module": place["module"]}
    if place["chapter"]:
        about["chapter"] = int(place["chapter"])
    starts = [front_matter.end(), *_headings(text, front_matter.end()), len(text)]
    for start, end in itertools.pairwise(starts):
        section = text[start:end].strip()
        if section:
            heading = section.partition("\n")[0].lstrip("# ")
            line = text.count("\n", 0, text.index(section, start)) + 1
            yield Document(
                id=f"{source_file}#{line}",
                text=section,
                metadata={**about, "section": heading, "line": line},
            )


def _headings(text: str, start: int) -> Iterator[int]:
    """Where `##` headings begin, outside of code fences."""
    fenced = False
    for line in re.finditer(r"^.*$", text[start:], re.MULTILINE):
        if line[0].startswith("```"):
            fenced = not fenced
        elif line[0].startswith("## ") and not fenced:
            yield start + line.start()
