"""Reads the front matter of a lesson: the block of YAML or TOML at the top of its file.

Authors make mistakes, and one of them must not stop the book: whatever the block holds, the lesson
is read, with a default and a warning for each value that cannot be used. Where the block itself
cannot be read, a tier in it is salvaged, and without one the lesson has that of the settings.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sourcebook.core.documents import Span
from sourcebook.core.hardware_tiers import MAX_TIER, MIN_TIER, integers_in
from sourcebook.ingestion.book.frontmatter_fields import (
    DEFAULT_LEVEL,
    FieldReading,
    InvalidFrontMatter,
    YamlField,
    read_draft,
    read_layer,
    read_level,
    read_number,
    read_text,
    read_tier,
    read_toml,
    read_yaml,
)

MAX_BLOCK_BYTES = 16 * 1024
# Where a tier is looked for that stands before or behind what can be read as front matter.
MAX_HEAD_LINES = 40
BOM = "\ufeff"
_TIER = "hardware_tier"
_TIER_NAME = re.compile(r"hardware[\s_.-]?tier", re.IGNORECASE)
# As generous as the parsers that authors know: blank lines before it, longer rules, `---yaml`. And
# characters that an author cannot see.
_OPENING = re.compile(
    r"[\s\ufeff\u200b-\u200d\u2060\u00ad]*+(?P<mark>-{3,}+|\+{3,}+)[^\S\r\n]*+"
    r"(?P<language>ya?ml|toml)?+[^\S\r\n]*+(?:\r\n|\r|\n)",
    re.IGNORECASE,
)
_CLOSING = {
    "-": re.compile(r"(?<=[\r\n])(?:-{3,}|\.\.\.)[^\S\r\n]*(?:\r\n|\r|\n|\Z)"),
    "+": re.compile(r"(?<=[\r\n])\+{3,}[^\S\r\n]*(?:\r\n|\r|\n|\Z)"),
}
_NEWLINE = re.compile(r"\r\n?")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))*+")
_FIELD = re.compile(r"^[ \t{-]*[\"']?[\w-]{1,60}[\"']?[ \t]*(?::(?=\s|\Z)|=[ \t])", re.MULTILINE)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields that are used; the body begins at character `body_start` of the source.

    `description_span` is where the description stands, if it is written there word for word.
    """

    body_start: int
    title: str | None = None
    description: str | None = None
    doc_id: str | None = None
    slug: str | None = None
    sidebar_position: float | int | None = None
    proficiency_level: str = DEFAULT_LEVEL
    hardware_tier: int = MIN_TIER
    layer: str | None = None
    draft: bool = False
    warnings: tuple[str, ...] = ()
    description_span: Span | None = None


@dataclass(frozen=True, slots=True)
class FrontMatterBlock:
    """The text between the markers, if there is an opening one, and where the body begins."""

    text: str | None
    closed: bool
    body_start: int
    start: int = 0
    first_line: int = 1
    language: str = "YAML"

    @property
    def has_fields(self) -> bool:
        """True if a line looks like `name: value`; otherwise it is text between two rules."""
        return self.text is not None and _FIELD.search(self.text) is not None


def read_front_matter(source: str, unreadable_tier: int = MIN_TIER) -> FrontMatter:
    """Read the front matter of a file; never fails.

    One that is not valid, and from which no tier can be salvaged, has `unreadable_tier`.
    """
    block = find_block(source)
    if block.text is None:
        return _without_block(block, source, unreadable_tier)
    problem = _problem(block)
    if problem is None:
        try:
            read = read_toml if block.language == "TOML" else read_yaml
            matter = _from_entries(read(block.text, block.first_line), block)
            return replace(matter, description_span=_description_span(source, matter))
        except InvalidFrontMatter as exc:
            problem = f"The front matter is not valid {block.language} ({exc})"
    text = block.text if block.closed else _lines(source[block.start :])[:MAX_BLOCK_BYTES]
    if not block.has_fields and _TIER_NAME.search(text) is None:
        return FrontMatter(block.start, warnings=(f"{problem}; it is taken for text",))
    return _salvaged(block, text, problem, unreadable_tier)


def _description_span(source: str, matter: FrontMatter) -> Span | None:
    words = r"\s+".join(map(re.escape, (matter.description or "").split()))
    named = rf"^[\"']?description[\"']?[ \t]*[:=][ \t]*(?:[>|][^\r\n]*)?\s*[\"']{{0,3}}({words})"
    found = re.compile(named, re.MULTILINE | re.IGNORECASE).search(source, 0, matter.body_start)
    return Span(*found.span(1)) if words and found else None


def _without_block(block: FrontMatterBlock, source: str, unreadable_tier: int) -> FrontMatter:
    """Everything is body. A tier that stands at its head was meant to be front matter."""
    head = "\n".join(_lines(source[:MAX_BLOCK_BYTES]).split("\n")[:MAX_HEAD_LINES])
    fence = _FENCE.search(head)
    head = head if fence is None else head[: fence.start()]
    if not salvage(head, _TIER):
        return FrontMatter(block.body_start)
    problem = "The file does not begin with front matter between '---'"
    return _salvaged(block, head, problem, unreadable_tier)


def _problem(block: FrontMatterBlock) -> str | None:
    if not block.closed:
        return "The front matter has no closing '---'"
    size = len((block.text or "").encode("utf-8", "surrogatepass"))
    if size > MAX_BLOCK_BYTES:
        return f"The front matter has {size} bytes; {MAX_BLOCK_BYTES} at most"
    return None


def _salvaged(
    block: FrontMatterBlock, text: str, problem: str, unreadable_tier: int
) -> FrontMatter:
    # These two are rescued if at all possible: without them everybody would see the lesson.
    fields = _Fields({"draft": salvage(text, "draft")})
    found = [one for entry in salvage(text, _TIER) for one in integers_in(entry.value)]
    tier = min(MAX_TIER, max(MIN_TIER, *found)) if found else unreadable_tier
    draft = fields.last("draft", read_draft, False)
    kept = f"hardware_tier {tier}" + (", draft" if draft else "")
    used = f"{problem}; used {kept} and defaults for the rest"
    return FrontMatter(
        block.body_start, hardware_tier=tier, draft=draft, warnings=(used, *fields.warnings)
    )


def _from_entries(entries: Sequence[YamlField], block: FrontMatterBlock) -> FrontMatter:
    by_name: dict[str, list[YamlField]] = {}
    for entry in entries:
        by_name.setdefault(_plain(entry.name), []).append(entry)
    nested = [one for entry in entries for one in _tiers_under(entry)]
    by_name.setdefault(_TIER, []).extend(nested)
    fields = _Fields(by_name)
    fields.warnings += [f"{one.name}: hardware_tier belongs to the top level" for one in nested]
    return FrontMatter(
        block.body_start,
        title=fields.text("title", 500),
        description=fields.text("description", 2000),
        doc_id=fields.text("id", 500),
        slug=fields.text("slug", 500),
        sidebar_position=fields.last("sidebar_position", read_number, None),
        proficiency_level=fields.last("proficiency_level", read_level, DEFAULT_LEVEL),
        hardware_tier=fields.tier(),
        layer=fields.last("layer", read_layer, None),
        draft=fields.last("draft", read_draft, False),
        warnings=tuple(fields.warnings),
    )


def _plain(name: str) -> str:
    """`Hardware-Tier` means hardware_tier: a slip must not show a lesson to everybody."""
    if _TIER_NAME.fullmatch(name.strip()):
        return _TIER
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _tiers_under(entry: YamlField) -> Iterator[YamlField]:
    """The tiers that stand below another field, in a mapping or in one that cannot be built."""
    if _plain(entry.name) == _TIER:
        return
    waiting = [entry.value]
    while waiting:
        value = waiting.pop()
        pairs = value.items() if isinstance(value, dict) else ()
        for name, inner in pairs:
            if isinstance(name, str) and _plain(name) == _TIER:
                yield YamlField(f"{_TIER} under {entry.name}", inner, None)
            else:
                waiting.append(inner)
        if isinstance(value, list):
            waiting += value
            if any(isinstance(one, str) and _plain(one) == _TIER for one in value):
                yield YamlField(f"{_TIER} under {entry.name}", value, None)


class _Fields:
    """Looks fields up by name and collects the warnings."""

    def __init__(self, entries: Mapping[str, Sequence[YamlField]]) -> None:
        self._entries = entries
        self.warnings: list[str] = []

    def last(self, name: str, read: Callable[[YamlField], FieldReading[T]], default: T) -> T:
        """Return the last entry of that name, as YAML parsers do."""
        entries = self._entries.get(name, ())
        if not entries:
            return default
        if len(entries) > 1:
            self.warnings.append(f"{name} is given {len(entries)} times; used the last")
        return self._take(read(entries[-1]))

    def text(self, name: str, most: int) -> str | None:
        return self.last(name, lambda entry: read_text(entry, most), None)

    def tier(self) -> int:
        """Return the highest tier of all entries: in doubt, fewer readers see a lesson."""
        entries = self._entries.get("hardware_tier", ())
        if not entries:
            return MIN_TIER
        if len(entries) > 1:
            self.warnings.append(f"hardware_tier is given {len(entries)} times; used the largest")
        return max(self._take(read_tier(entry)) for entry in entries)

    def _take(self, reading: FieldReading[T]) -> T:
        if reading.warning is not None:
            self.warnings.append(reading.warning)
        return reading.value


def find_block(source: str) -> FrontMatterBlock:
    """Find the block at the start of the source; a byte order mark before it is skipped."""
    start = len(BOM) if source.startswith(BOM) else 0
    opening = _OPENING.match(source, start)
    if opening is None:
        return FrontMatterBlock(None, closed=False, body_start=start)
    is_toml = opening["mark"][0] == "+" or (opening["language"] or "").lower() == "toml"
    # From the last character of the opening line, which the closing marker looks back at.
    closing = _CLOSING[opening["mark"][0]].search(source, opening.end() - 1)
    if closing is None:
        rest = _lines(source[opening.end() :])
        paragraph = _PARAGRAPH.match(rest)
        return FrontMatterBlock(
            paragraph[0] if paragraph else "", False, body_start=start, start=start
        )
    first_line = 1 + _lines(source[: opening.end()]).count("\n")
    text = _lines(source[opening.end() : closing.start()])
    language = "TOML" if is_toml else "YAML"
    return FrontMatterBlock(text, True, closing.end(), start, first_line, language)


def salvage(text: str, name: str) -> list[YamlField]:
    """Read a field from the lines `name: value` or `name = value` of a block that is not valid."""
    written = _TIER_NAME.pattern if name == _TIER else re.escape(name)
    line = re.compile(
        rf"^[ \t{{]*(?:-[ \t]+)?[\"']?{written}[\"']?[ \t]*[:=：]"
        r"(?P<value>[^\n]*(?:\n[ \t]*-[ \t][^\n]*|\n[ \t]+[^\n]+)*)",
        re.MULTILINE | re.IGNORECASE,
    )
    values = (re.sub(r"(?<!\S)#[^\n]*", "", found["value"]) for found in line.finditer(text))
    return [YamlField(name, value.strip(), value.strip()) for value in values]


def _lines(text: str) -> str:
    return _NEWLINE.sub("\n", text)
