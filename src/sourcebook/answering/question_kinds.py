"""Tells what kind of answer a question wants, and which statements have that shape.

The shape only proposes: how well a statement answers is for the judge to say.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from sourcebook.answering.evidence import Passage
from sourcebook.answering.side_matter import is_release_note
from sourcebook.answering.statements import Quotable
from sourcebook.answering.whole_statements import named_block
from sourcebook.search.words import content_words
from sourcebook.text.governing import leads_on

QuestionKind: TypeAlias = Literal[
    "figure", "option", "how-to", "comparison", "definition", "list", "other"
]

_FIGURE = re.compile(
    r"""\bhow\ (?:many|much|long|large|big|small|often|old|far|fast|high|deep|wide|heavy|late)\b
    | \b(?:what|which)\b.{0,40}\b(?:port|version|number|size|limit|maximum|minimum|level|value|rate
        |length|timeout|interval|percentage|temperature|speed|weight|age|year|date|price|range)\b
    | \b(?:default|maximum|minimum|max|min|limit|largest|smallest|longest|shortest|at\ least
        |at\ most|up\ to)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OPTION = re.compile(
    r"""\b(?:option|flag|switch|command|setting|parameter|argument|field|keyword|function|method
        |key|shortcut|variable|property|attribute)\b
    | \bwhat\ (?:do|must|should|can)\ (?:i|you|we)\ (?:have\ to\ )?(?:add|pass|set|type|run|call)\b
    | \bwhat\ (?:do|must|should)\ (?:i|you|we)\ have\ to\b""",
    re.IGNORECASE | re.VERBOSE,
)
_HOW_TO = re.compile(
    r"\bhow (?:do|can|could|should|would|must|to|does one|might)\b|\bhow\W*$|\bsteps\b|\bhow-to\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"""\b(?:list|name|enumerate)\ (?:all\ |the\ |every|some)
    | \bwhat\ are\ the\b
    | \bwhich\ .{0,60}\bare\ there\b
    | \b(?:kinds|types|sorts|forms|parts|phases|stages|steps|examples)\ of\b""",
    re.IGNORECASE | re.VERBOSE,
)
# "Which options does it have?", "What do the colours mean?": a list or a table may answer.
_THINGS = re.compile(
    r"""\b(?:what|which)\ (?:\w{1,30}\ ){0,2}?(?P<things>\w{2,30}(?<!s)s)
        \ (?:does|do|can|may|is|are|has|have)\b
    | \bwhat\ do\ (?:all\ )?(?:the|these)\ (?:\w{1,30}\ ){0,2}?(?P<meant>\w{2,30}(?<!s)s)
        \ (?:.{1,40}\ )?(?:mean|do|stand\ for|indicate|signal|show)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_WHAT_IS = re.compile(
    r"""(?:what(?:'s|’s|\ is|\ are)|define|(?:meaning|definition)\ of)\ (?:an?\ |the\ )?
    (?P<subject>.{1,80}?)(?:\ (?:in|of|for|on|with|at)\ .*|(?<=\w)\W{0,10})$""",
    re.IGNORECASE | re.VERBOSE,
)
_SIDES = tuple(
    re.compile(form, re.IGNORECASE | re.VERBOSE)
    for form in (
        r"\b(?:differences?|distinction)\ between\ (?P<one>.{1,80}?)\ and\ (?P<other>.{1,80})",
        r"""\bhow\ (?:do|does|is|are)\ (?P<one>.{1,80}?)
            \ (?:differ(?:ent)?\ from|compare\ (?:to|with))\ (?P<other>.{1,80})""",
        r"(?P<one>.{1,80})\ (?:vs\.?|versus)\ (?P<other>.{1,80})",
        # `How did it change compared to last year?` asks for something else.
        r"^(?!(?:how|what|which|why|when|where|who|is|are|was|were|do|does|did|can|will|has|have)\b)"
        r"(?P<one>.{1,80})\ compared\ (?:to|with)\ (?P<other>.{1,80})",
        r"\bcompare[sd]?\ (?P<one>.{1,80}?)\ (?:and|with|to)\ (?P<other>.{1,80})",
    )
)
# What is asked for may be told of one of the two alone.
_CHOICES = tuple(
    re.compile(form, re.IGNORECASE | re.VERBOSE)
    for form in (
        r"\bwhen\ (?:are|is|do|does|should|to)\ (?P<one>.{1,80}?)\ and\ when\ (?P<other>.{1,80})",
        r"\b(?:better|faster|prefer|choose|use)[,:]?\ (?P<one>.{1,80}?)\ or\ (?P<other>.{1,80})",
    )
)
# "Soft and hard stops, how do they differ?"
_ASKED_APART = re.compile(
    r"[,:;]\ (?:how|what|which|when)\b.{0,60}\b(?:differs?|differences?|distinction|them|two)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\ (?:and|or)\ ", re.IGNORECASE)
_PLACED = re.compile(r"\ (?:on|in|of|for|with|at)\ ", re.IGNORECASE)
# "Topics are for telling" begins like a definition and says what they are good for.
_NO_DEFINITION = "for|not|in|on|at|to|from|by|with|also|only|always|never|often|usually|then"
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty"
    r"|hundred|thousand|million|half|once|twice|no limit|unlimited)\b",
    re.IGNORECASE,
)
# A capital after the first letter, or something between letters that no plain word has.
_LIKE_CODE = re.compile(r"\w[A-Z]|\w[_./]\w|--?\w|\d")
# Of what a row says of a name.
MIN_WORDS_OF_MEANING = 3
# `ctx.invoke`, and not `config.yaml` or `3.11`.
_MEMBER = re.compile(
    r"(?P<owner>[A-Za-z_]\w*)\.(?P<name>(?!(?:ya?ml|json5?|toml|md|mdx|txt|py|[jt]sx?|html?|css|xml"
    r"|ini|cfg|conf|sh|sql|csv|lock|env|log)\b)[A-Za-z_]\w+)"
)
_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]++`|(?<!\w)--?[A-Za-z][\w-]*+")


def question_kind(question: str) -> QuestionKind:
    """The kind of answer that a question wants."""
    if sides_of(question) is not None:
        return "comparison"
    if _OPTION.search(question):
        return "option"
    if _FIGURE.search(question):
        return "figure"
    if _HOW_TO.search(question):
        return "how-to"
    if _LIST.search(question):
        return "list"
    return "definition" if _WHAT_IS.match(_one_line(question)) else "other"


def asked_things(question: str) -> str | None:
    """The stem of what a question asks for: `option` of "Which options does it have?"."""
    found = _THINGS.search(_one_line(question))
    if found is None:
        return None
    return next(iter(content_words(found["things"] or found["meant"])), None)


@dataclass(frozen=True, slots=True)
class Side:
    """One of two things that are compared: its stems without what both share, and what tells it.

    In "liveness vs readiness probe", `readiness` tells the second. A `name` is there if one of both
    is written like code: then a statement about it has it as it is written.
    """

    stems: frozenset[str]
    telling: frozenset[str]
    name: re.Pattern[str] | None = None

    def is_named(self, text: str, stems: frozenset[str]) -> bool:
        """Whether a statement with this text and these stems is about it."""
        return self.stems <= stems if self.name is None else self.name.search(text) is not None

    def is_touched(self, text: str, stems: frozenset[str]) -> bool:
        """Whether a statement may be about it."""
        return self.telling <= stems if self.name is None else self.is_named(text, stems)


def sides_of(question: str) -> tuple[Side, Side] | None:
    """The two things that a question compares, or between which it asks to choose."""
    question = _one_line(question)
    return _sides(chain(_pairs(_SIDES, question), _pairs(_CHOICES, question), _apart(question)))


def compared_sides(question: str) -> tuple[Side, Side] | None:
    """The two things whose difference a question asks for: nothing answers that about one alone."""
    question = _one_line(question)
    return _sides(chain(_pairs(_SIDES, question), _apart(question)))


def _sides(pairs: Iterable[tuple[str, str]]) -> tuple[Side, Side] | None:
    for first, second in pairs:
        one, other = _compared_words(first), _compared_words(second)
        if one and other and set(one) != set(other):
            # `recv` and `try_recv`: one of them may have all words of the other.
            left, right = _without(one, other), _without(other, one)
            names = _names(first.split()[-1], _ARTICLE.sub("", second).split()[0])
            return (
                Side(frozenset(left), frozenset(left), names[0]),
                Side(frozenset(right), frozenset(right[:1]), names[1]),
            )
    return None


def _pairs(forms: Iterable[re.Pattern[str]], question: str) -> Iterator[tuple[str, str]]:
    """What a question may compare, as it is written."""
    for form in forms:
        if found := form.search(question):
            # `audits: Request vs Response in a policy`
            yield found["one"].rpartition(": ")[2], _PLACED.split(found["other"], maxsplit=1)[0]


def _apart(question: str) -> Iterator[tuple[str, str]]:
    """What stands before the question how it differs."""
    if asked := _ASKED_APART.search(question):
        joined = _JOINED.split(question[: asked.start()])
        if len(joined) > 1:
            yield joined[-2], joined[-1]


def _compared_words(text: str) -> list[str]:
    """The words that carry meaning, without whoever asks: `should I wrap`."""
    return [word for word in content_words(text) if word != "i"]


def _without(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words without the others, if any is left."""
    return [word for word in words if word not in others] or list(words)


def _names(one: str, other: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """What finds two words if one is written like code: `try_recv`, `admin.conf`, `onUpdate`."""
    written = [word.strip("`'\"?!.,:;()") for word in (one, other)]
    if not all(written) or not any(map(_LIKE_CODE.search, written)):
        return None, None
    members = [_MEMBER.fullmatch(word) for word in written]
    if all(members) and len({one["owner"] for one in members if one}) == 1:
        # `ctx.invoke` is what the text calls `Context.invoke()`.
        names = [rf"\.{one['name']}" for one in members if one]
    else:
        names = [rf"(?<![\w.-]){re.escape(word)}" for word in written]
    first, second = (re.compile(rf"{name}(?![\w-]|\.\w)") for name in names)
    return first, second


def fits(
    kind: QuestionKind,
    question: str,
    quotable: Sequence[Quotable],
    place: int,
    passage: Passage,
) -> bool:
    """Whether a statement of a passage has the shape that a question of this kind wants."""
    one = quotable[place]
    text = one.shown
    match kind:
        case "figure":
            return _NUMBER.search(text) is not None
        case "option":
            return one.kind == "code" or _CODE.search(text) is not None
        case "how-to":
            shown = one.kind == "row" and _CODE.search(text) is not None
            return shown or one.kind in {"item", "code"} or _is_before_code(quotable, place)
        case "definition":
            return _defines(question, quotable, place, passage)
        case "list":
            return leads_on(text) or _is_listed(question, quotable, place)
        case _:
            return False


def _is_listed(question: str, quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a statement is one of the things that a question asks for."""
    things = asked_things(question)
    return things is not None and bool(named_block(quotable, place, things))


def _is_before_code(quotable: Sequence[Quotable], place: int) -> bool:
    after = place + 1
    return (
        after < len(quotable)
        and quotable[after].kind == "code"
        and quotable[after].statement.passage == quotable[place].statement.passage
    )


def _defines(question: str, quotable: Sequence[Quotable], place: int, passage: Passage) -> bool:
    """Whether a statement says what its subject is, or stands first under that name."""
    subject = subject_of(question)
    if subject is None or _is_beside_meaning(quotable[place]):
        return False
    if quotable[place].kind in {"definition", "row"} and quotable[place].cells:
        return _is_entry_of(quotable[place], subject)
    if beginning_of_definition(subject).match(quotable[place].shown):
        return True
    return quotable[place].kind == "prose" and _is_first_under(subject, quotable, place, passage)


def says_what_it_is(question: str, one: Quotable) -> bool:
    """Whether a statement says by itself what a question's subject is: `A topic is a stream`."""
    subject = subject_of(question)
    if subject is None:
        return False
    if one.kind in {"definition", "row"}:
        return _is_entry_of(one, subject)
    return defining_sentence(subject).match(one.shown) is not None


def _is_entry_of(one: Quotable, subject: str) -> bool:
    """Whether an entry has the subject as its term, or a row first and then what that is."""
    if not one.cells or not _is_called(one.cells[0], subject):
        return False
    # `Keel | 30` may be a price.
    said = (len(cell.split()) for cell in one.cells[1:])
    return one.kind == "definition" or max(said, default=0) >= MIN_WORDS_OF_MEANING


def _is_first_under(name: str, quotable: Sequence[Quotable], place: int, passage: Passage) -> bool:
    """Whether a sentence is the first under a heading of that name, or of a page of that name."""
    before = place - 1
    while before >= 0 and _is_beside_meaning(quotable[before]):
        before -= 1
    while before >= 0 and _is_heading_of(quotable[before], passage):
        if _is_called(quotable[before].shown, name):
            return True
        before -= 1
    if before >= 0 and quotable[before].statement.passage == passage.number:
        return False
    # A passage is named after what most of it is under; that may begin in its middle.
    named_within = any(
        _is_heading_of(one, passage) and _is_called(one.shown, name) for one in quotable
    )
    source = passage.source
    return not named_within and any(_is_called(one, name) for one in (source.title, source.heading))


def _is_beside_meaning(one: Quotable) -> bool:
    """Whether it stands between a name and its meaning: `Default: 30`, `New in version 1.4`."""
    return one.is_fact or is_release_note(one.statement.text)


def _is_heading_of(one: Quotable, passage: Passage) -> bool:
    return one.kind == "heading" and one.statement.passage == passage.number


def _is_called(heading: str, name: str) -> bool:
    words = frozenset(content_words(name))
    if not words:
        # `&`, or `for`
        return heading.strip("`*_ ") == name.strip("`*_ ")
    return frozenset(content_words(heading)) == words


def subject_of(question: str) -> str | None:
    """What a question asks the definition of."""
    found = _WHAT_IS.match(_one_line(question))
    return found["subject"] if found else None


def defining_sentence(subject: str) -> re.Pattern[str]:
    """Finds a sentence that says what the subject, or what it is short for, is.

    So does an entry of a glossary: `**Subject**: what it is`.
    """
    name = pattern_of_name(subject)
    aside = r"(?:[*_`\"]{0,3}\ \([^()\n]{1,60}\))?[*_`\"]{0,3}"
    return re.compile(
        rf"""(?:\A|[.!?:]\s|\n)(?:[^\w\n]|_){{0,6}}(?:an?\ |the\ )?
        (?:{name}|[\w-]{{2,30}}\ \([^()\n]{{0,20}}\b{name}\)){aside}
        \s(?:(?:is|are)\s[*_]{{0,2}}(?:an?|the|one)|refers\sto|means|stands\sfor)\b
        | (?:\A|\n)[ \t]{{0,8}}(?:[-*+][ \t]{{1,4}})?[*_`]{{0,3}}{name}{aside}
        (?::[*_]{{0,3}}|\r?\n{{1,2}}[ ]{{0,3}}:)[ \t]{{1,4}}(?:\S{{1,40}}\s{{1,4}}){{2}}\S""",
        re.IGNORECASE | re.VERBOSE,
    )


def beginning_of_definition(subject: str) -> re.Pattern[str]:
    """Finds a sentence that begins like one: `Keels are heavy`."""
    return re.compile(
        rf"""\W{{0,20}}(?:an?\ |the\ )?{pattern_of_name(subject)}s?\W{{0,5}}
        (?:\([^()\n]{{1,60}}\)\W{{0,5}})?\ (?:is|are|means|refers\ to|stands\ for|describes)\b
        (?!\ (?:{_NO_DEFINITION})\b)""",
        re.IGNORECASE | re.VERBOSE,
    )


def pattern_of_name(name: str) -> str:
    """Matches a name as it is written, or with another blank or hyphen: that is often left out."""
    return r"[\s-]".join(map(re.escape, re.split(r"[\s-]+", name)))


def _one_line(question: str) -> str:
    return " ".join(question.split())
