"""Tells what of a Markdown text a reader sees: no marks, tags, comments or Hugo shortcodes.

What is seen are characters of the text, in their order. Only the tags of raised and lowered text
are shown by signs, so that `2<sup>n</sup>` is not taken for 2n.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape

# Stands for a character that is not seen, so that every offset stays true.
HIDDEN = "\x00"
MAX_SHORTCODE = 3_000
# A longer line is none of a program.
MAX_CODE_LINE = 300
# Marks of emphasis that wait for their other half.
MAX_OPEN = 20
_ATTRIBUTE = (
    r"\s++[^\s\"'<>/={}]{1,60}+(?:\s*+=\s*+(?:\"[^\"]{0,1000}+\"|'[^']{0,1000}+'"
    r"|\{\{?[^{}]{0,1000}+\}?\}|[^\s\"'=<>`{}]{1,300}+))?+"
)
_SHORTCODE_TEXT = (
    rf"\{{\{{[<%][^{{}}]{{0,{MAX_SHORTCODE}}}?[>%]\}}\}}|\{{\{{\#[^{{}}\r\n]{{1,300}}+\}}\}}"
)
_SHORTCODE = re.compile(_SHORTCODE_TEXT)
_TOKEN = re.compile(
    rf"""
      (?P<fence> (?<![^\r\n]) [ \t>]*+ (?P<marks>`{{3,}}+(?![^\r\n]*`)|~{{3,}}+) (?s:.*?)
          (?:(?<=[\r\n])[ \t>]*+(?P=marks)[`~]*+[ \t]*+(?=[\r\n]|\Z)|\Z) )
    | (?P<code> (?<!`)(?P<ticks>`++) (?:(?!(?:\r\n|\r|\n)[ \t]*+[\r\n])(?s:.)){{1,2000}}?
          (?<!`)(?P=ticks)(?!`) )
    | (?P<formula> \$\$ (?:(?!\$\$|(?:\r\n|\r|\n)[ \t]*+[\r\n])(?s:.)){{1,2000}}+ \$\$
          | (?<![\w\\$])\$(?![\s$]) (?=[^$\r\n]{{0,300}}[\\_^]) [^$\r\n]{{1,300}}+
          (?<!\s)\$(?![\w$]) )
    | (?P<escape> \\[!-/:-@\[-`{{}}~] )
    | (?P<break> \\(?=[\r\n]) )
    | (?P<comment> <!-- | \{{/\* )
    | (?P<shortcode> {_SHORTCODE_TEXT} )
    | (?P<address> <(?:(?:https?://|mailto:)[^\s<>]{{1,2000}}+
          |[\w.+-]{{1,64}}+@[A-Za-z0-9][\w.-]{{1,250}}+)> )
    | (?P<tag> </?(?P<name>[A-Za-z][\w.:-]{{0,60}}+)(?:{_ATTRIBUTE}){{0,20}}+\s*+/?> | </?> )
    | (?P<footnote> \[\^[^\]\s]{{1,60}}+\](?P<colon>:[ \t]*+)?+ )
    | (?P<definition> (?<![^\r\n]) [ ]{{0,3}}+(?:>[ ]?+){{0,9}}+\[[^\[\]\r\n]{{1,200}}+\]:[ \t]++
          [^\s]{{1,2000}}+(?:[ \t]++(?:"[^"\r\n]{{0,500}}+"|'[^'\r\n]{{0,500}}+'))?+
          [ \t]*+(?=[\r\n]|\Z) )
    | (?P<anchor> \{{\#[^\s{{}}]{{1,200}}+\}}(?=[ \t]*+(?:[\r\n]|\Z)) )
    | (?P<space> \{{(?:"[ ]"|'[ ]')\}} )
    | (?P<link> !?\[ )
    | (?P<target> \](?: \( (?:<[^<>\r\n]{{0,500}}+>)?+
          (?:[^()\s\\{{]|\\.|\([^()\s]{{0,300}}+\)|\{{\{{[^{{}}\r\n]{{0,200}}+\}}\}}|\{{){{0,2000}}+
          (?:\s++(?:"[^"]{{0,500}}+"|'[^']{{0,500}}+'))?+ \s*+\) | \[[^\[\]\r\n]{{0,200}}+\] ) )
    | (?P<gap> (?:\r\n|\r|\n)[ \t]*+(?=[\r\n]|[-*+|\#][ \t]|\d{{1,9}}[.)][ \t]) )
    | (?P<run> \*{{1,3}}+(?!\*) | _{{1,3}}+(?!_) | ~~(?!~) )
    """,
    re.VERBOSE,
)
# Tags that HTML knows. Others, like `<name>`, stand for themselves unless they look like JSX.
_HTML_TEXT = """
a abbr article aside audio b blockquote br button caption center cite code col colgroup dd del
details dfn div dl dt em figcaption figure font footer g h1 h2 h3 h4 h5 h6 head header hr html i
iframe img input ins kbd label li link main mark meta nav object ol p path picture pre q s samp
script section small source span strike strong style sub summary sup svg table tbody td tfoot th
thead time title tr tt u ul var video wbr
"""
_INLINE_TEXT = """
a abbr b cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt
u var wbr
"""
_HTML = frozenset(_HTML_TEXT.split())
# The words before and after these are apart.
_APART = _HTML - frozenset(_INLINE_TEXT.split())
_WITH_BARE_ATTRIBUTES = frozenset({"audio", "details", "iframe", "input", "ol", "script", "video"})
_WITHOUT_VALUES = re.compile(r"<[\w.:-]+\s+[^\s=/>][^=]*>\Z")
_PARAMETER = re.compile(
    r"(?:(?P<key>[\w-]+)\s*=\s*)?(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>[^\s\"=]+))"
)
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_RAISED_TEXT = r"(?P<inside>[^<>\r\n]{1,60}+)</%s>"
_RAISED = {name: re.compile(_RAISED_TEXT % name, re.IGNORECASE) for name in ("sup", "sub")}
# What needs no brackets around it, and what would be one word without a sign: ordinals, H2O.
_ONE_TERM = re.compile(r"[-+−–]?(?:\d+(?:[.,]\d+)?|\w)|[^\W\d_]+")
_QUOTATION = re.compile(r"(?<=[\r\n])(?:[ \t]*+>)++")
# What a block begins with: `##`, `-`, `- [x]`, the `:` before what a term means, the first pipe of
# a row. A list's number is seen.
_BLOCK_MARK = re.compile(
    r"[ ]{0,3}(?:#{1,6}(?!\S)|:(?=[ \t]++\S))|[ \t]*+(?:[-*+](?:[ \t]++\[[ xX]\])?+(?!\S)|\|)"
)
# Lines that are marks alone: rules, underlines of headings and tables, `:::note`, `!!! note`.
_MARKS_ALONE = re.compile(r"[ \t]*+(?:[-=*_|: \t]{2,}+$|:::|!!![ \t]|\[![A-Za-z]{3,12}\][ \t]*+$)")
_FENCE = re.compile(r"[ \t]*+(?:[-*+][ \t]++)?+(```++(?![^`]*`)|~~~++)")
_IN_CODE = re.compile(r"[ ]{4}|\t")
_DUNDER = re.compile(r"__\w+?__(?!\w)")
# The shortcodes of Hugo that show a parameter: its key, or None for those without a key.
_SHOWN_PARAMETERS: dict[str, tuple[str | None, ...]] = {
    "glossary_tooltip": ("text", "term_id"),
    "heading": (None,),
    "param": (None,),
    "skew": (None,),
}

_FENCE_LINE = re.compile(
    r"^(?P<bullets>(?:[ \t]*+(?:[-*+>]|\d{1,9}[.)])(?=[ \t`~]))*+)[ \t]*+"
    r"(?P<marks>`{3,}+(?![^\r\n]*`)|~{3,}+)[ \t]*+(?P<info>[^\r\n]*)(?=[\r\n]|\Z)",
    re.MULTILINE,
)
_EMPTY_LINE = re.compile(r"\s*+\Z|[^\S\n]*+\n[^\S\n]*+\n")
_SENTENCE_LINE = re.compile(
    r"^[A-Z][\w'’-]*+(?: [\w'’,-]++){2,40}+[.:!?][ \t\r]*$|[.:!?][ \t\r]*\Z", re.MULTILINE
)
# The titles that Hugo's theme for documentation (Docsy, as Kubernetes uses it) gives by a word.
_TITLES = {
    "whatsnext": "What's next",
    "prerequisites": "Before you begin",
    "objectives": "Objectives",
    "cleanup": "Clean up",
    "seealso": "See also",
    "synopsis": "Synopsis",
    "options": "Options",
    "parentoptions": "Options inherited from parent commands",
}


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text with what a reader does not see replaced; it has the same length and the same lines.

    In `words`, only what stands between blocks or words is replaced, by spaces. In `seen`, marks
    within words are too, by HIDDEN. Code stays as it is.
    """

    words: str
    seen: str

    def plain(self, start: int, end: int) -> str:
        """Return what a reader sees of a span, in one line."""
        return _in_one_line(self._without_hidden(start, end))

    def plain_blocks(self, start: int, end: int) -> str:
        """Return what a reader sees of several blocks, without the marks that they begin with."""
        lines = self._without_hidden(start, end).splitlines()
        return _in_one_line("\n".join(_without_block_marks(lines)))

    def _without_hidden(self, start: int, end: int) -> str:
        return _QUOTATION.sub("", self.seen[start:end].replace(HIDDEN, ""))


def _in_one_line(text: str) -> str:
    if "&" in text:
        text = _ENTITY.sub(lambda found: unescape(found[0]), text)
    return " ".join(text.split())


def _without_block_marks(lines: Iterable[str]) -> Iterator[str]:
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if found and found[1].startswith(fence):
            fence = "" if fence else found[1]
        elif fence:
            yield line
        elif not _MARKS_ALONE.match(line):
            yield _without_block_mark(line)


def _without_block_mark(line: str) -> str:
    mark = _BLOCK_MARK.match(line)
    if mark is None:
        return line
    rest = line[mark.end() :]
    is_row = mark[0].endswith("|")
    return rest.rstrip().removesuffix("|").replace("\\|", "|") if is_row else rest


def script_signs(name: str, before: str, inside: str) -> tuple[str, str]:
    """Return what shows that a text is raised or lowered after another one: `2^n`, `2^(n+1)`.

    Nothing for what reads the same without: `1st`, `H2O`, the number of a note in brackets.
    """
    inside = inside.strip()
    is_ordinal = name == "sup" and len(inside) > 1 and inside.isalpha()
    is_formula = name == "sub" and inside.isdigit() and not before.isdigit()
    if not before.strip() or not inside or inside[0] == "[" or is_ordinal or is_formula:
        return "", ""
    sign = "^" if name == "sup" else "_"
    return (sign, "") if _ONE_TERM.fullmatch(inside) else (f"{sign}(", ")")


def plain_text(markup: str) -> str:
    """Return what a reader sees, in one line."""
    return mask_markup(markup).plain(0, len(markup))


def mask_markup(text: str) -> MaskedText:
    """Find what a reader does not see."""
    mask = _Mask(text)
    at = end_of_cut_code(text)
    while found := _TOKEN.search(text, at):
        at = mask.read(found)
    return MaskedText(mask.text(" "), mask.text(" " + HIDDEN))


def end_of_cut_code(text: str) -> int:
    """Where the code ends that began before a text, with its fence; 0 if there is none.

    Then the fences of the text come in no pairs, its first one has no name and stands between a
    line of code and an empty one, and before it there is no sentence.
    """
    fences = [*_FENCE_LINE.finditer(text)]
    if not fences or not _leave_one_open(fences) or fences[0]["bullets"] or fences[0]["info"]:
        return 0
    before, end = text[: fences[0].start()], fences[0].end()
    is_after_code = bool(before.strip()) and not before[:-1].rstrip("\r \t").endswith("\n")
    is_code = is_after_code and not _SENTENCE_LINE.search(before)
    return end if is_code and _EMPTY_LINE.match(text, end) else 0


def _leave_one_open(fences: Iterable[re.Match[str]]) -> bool:
    """Whether a fence is never closed: by one of at least as many marks, and nothing else."""
    opened = ""
    for one in fences:
        if not opened:
            opened = one["marks"]
        elif one["marks"].startswith(opened) and not one["info"]:
            opened = ""
    return bool(opened)


def show_shortcodes(title: str) -> str:
    """Replace the shortcodes of a title by what Hugo shows: `{{% heading "whatsnext" %}}`."""
    if "{{" not in title:
        return title
    return _SHORTCODE.sub(_title_in, title)


class _Mask:
    """Collects what is hidden while the tokens of a text are read in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[tuple[int, int, str, str]] = []
        self._closing_signs: dict[int, str] = {}
        self._links: list[re.Match[str]] = []
        self._runs: list[tuple[int, int]] = []
        self._never_closed: set[str] = set()

    def read(self, token: re.Match[str]) -> int:
        """Hide what the token hides; returns where to read on."""
        match token.lastgroup:
            case "comment":
                return self._read_comment(*token.span())
            case "shortcode":
                self._read_shortcode(token)
            case "tag":
                self._read_tag(token)
            case "link":
                self._links.append(token)
            case "target":
                self._read_target(token)
            case "run":
                self._read_run(*token.span())
            case "gap":
                self._links.clear()
                self._runs.clear()
            case "fence" | "code" | "formula":
                pass
            case kind:
                self._read_sign(kind, token)
        return token.end()

    def text(self, fillers: str) -> str:
        """The text with what these stand for hidden."""
        pieces, at = [], 0
        for start, end, filler, sign in sorted(self._parts):
            if start < at or filler not in fillers:
                continue
            filled = _filled(self._text[start + len(sign) : end], filler)
            pieces += [self._text[at:start], sign, filled]
            at = end
        return "".join([*pieces, self._text[at:]])

    def _hide(self, start: int, end: int, filler: str = HIDDEN, sign: str = "") -> None:
        """Hide a part; the sign is shown in its place."""
        if start < end:
            self._parts.append((start, end, filler, sign))

    def _read_sign(self, kind: str | None, token: re.Match[str]) -> None:
        start, end = token.span()
        if kind == "escape":
            if token[0] != "\\|":  # in a table it is still needed
                self._hide(start, start + 1)
        elif kind == "address":
            self._hide(start, start + 1)
            self._hide(end - 1, end)
        elif kind == "break":
            # At the end of a line of code it is the shell's.
            line = self._text[max(0, start - MAX_CODE_LINE) : start].splitlines()[-1:]
            self._hide(start, start if line and _IN_CODE.match(line[0]) else end)
        else:
            self._hide(start, end, " " if kind in {"space", "definition"} else HIDDEN)

    def _read_comment(self, start: int, end: int) -> int:
        closing = "-->" if self._text[start] == "<" else "*/}"
        if closing in self._never_closed:
            return end
        at = self._text.find(closing, end)
        if at < 0:
            self._never_closed.add(closing)
            return end
        self._hide(start, at + len(closing), " ")
        return at + len(closing)

    def _read_shortcode(self, token: re.Match[str]) -> None:
        shown = _shown_in_shortcode(token)
        at = token.start()
        for start, end in shown:
            self._hide(at, start)
            at = end
        # One that shows nothing stands on its own line, or between words that are apart.
        self._hide(at, token.end(), HIDDEN if shown else " ")

    def _read_tag(self, token: re.Match[str]) -> None:
        name = token["name"] or ""
        if _WITHOUT_VALUES.match(token[0]) and name.lower() not in _WITH_BARE_ATTRIBUTES:
            return  # `a <b and c> d` compares
        if name.lower() in _RAISED:
            self._hide(*token.span(), sign=self._script_sign(token))
        elif name.lower() in _HTML:
            self._hide(*token.span(), " " if name.lower() in _APART else HIDDEN)
        elif not name or _is_component(token[0], name):
            self._hide(*token.span(), " ")

    def _script_sign(self, token: re.Match[str]) -> str:
        """Return what stands for a tag that begins or ends raised or lowered text."""
        start, end = token.span()
        name = token["name"].lower()
        found = _RAISED[name].match(self._text, end)
        if found is None or token[0].startswith("</"):
            return self._closing_signs.pop(start, "")
        before = self._text[max(0, start - 1) : start]
        sign, self._closing_signs[found.end("inside")] = script_signs(name, before, found["inside"])
        return sign

    def _read_target(self, token: re.Match[str]) -> None:
        """The end of a link: its text is seen, its address is not."""
        if not self._links:
            return
        opening = self._links.pop()
        before = self._text[opening.start() - 1 : opening.start()]
        is_index = token[0].startswith("][") and (before.isalnum() or before in {"]", "_", ")"})
        if not is_index:
            self._hide(*opening.span())
            self._hide(*token.span())

    def _read_run(self, start: int, end: int) -> None:
        """Marks of emphasis, which are hidden in pairs."""
        text = self._text
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        if text[start] == "_" and _DUNDER.match(text, start):
            return
        closes = not before.isspace() and not after.isalnum()
        if closes:
            for place in range(len(self._runs) - 1, max(-1, len(self._runs) - MAX_OPEN), -1):
                opened, stop = self._runs[place]
                if text[opened:stop] == text[start:end] and stop < start:
                    self._hide(opened, stop)
                    self._hide(start, end)
                    del self._runs[place:]
                    return
        glob = end - start == 1 and after in ".,;:!?)/"
        if not before.isalnum() and not after.isspace() and not glob:
            self._runs.append((start, end))


def _filled(text: str, filler: str) -> str:
    return "".join(char if char in "\r\n" else filler for char in text)


def _is_component(tag: str, name: str) -> bool:
    """Whether a tag is one of JSX; `<Tabs>` alone may be a type, `<Tabs a="b">` is none."""
    return name[0].isupper() and (tag.startswith("</") or tag.endswith("/>") or "=" in tag)


def _title_in(token: re.Match[str]) -> str:
    shown = [token.string[start:end] for start, end in _shown_in_shortcode(token)]
    return " ".join(_TITLES.get(word, word) for word in shown)


def _shown_in_shortcode(token: re.Match[str]) -> list[tuple[int, int]]:
    inside = token[0][3:-3]
    parameters = [*_parameters(inside, token.start() + 3)]
    if not parameters or inside.lstrip().startswith("/") or token[0].startswith("{{#"):
        return []
    (_, start, end), *others = parameters
    name = token.string[start:end]
    if name.startswith("latest-"):
        return [(start, end)]
    for key in _SHOWN_PARAMETERS.get(name, ("text",)):
        shown = [(start, end) for named, start, end in others if named == key and start < end]
        if shown:
            return shown
    return []


def _parameters(inside: str, offset: int) -> Iterator[tuple[str | None, int, int]]:
    for found in _PARAMETER.finditer(inside):
        group = "bare" if found["quoted"] is None else "quoted"
        yield found["key"], offset + found.start(group), offset + found.end(group)
