"""What a person would point at: a statement with what it leans on, or with what it introduces."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice, takewhile

from sourcebook.answering.statements import Quotable, governs, with_antecedent
from sourcebook.search.words import content_words
from sourcebook.text.definition_lists import MAX_FACTS
from sourcebook.text.governing import is_ended, leads_on

# What stands in lists and tables.
LISTED = frozenset({"item", "row", "definition"})
_LEADING = frozenset({"prose", "item", "definition"})
# Of a list or table that a sentence introduces.
MAX_ITEMS = 10
MAX_BLOCK_CHARACTERS = 1_200
# Sentences between a question and the list that answers it.
MAX_INTRODUCTION = 3
_SYMPTOM = re.compile(r"(?:symptoms?|problem|issue|error|mistake|fault)(?: \d{1,3})?: ", re.I)
_REMEDY = re.compile(
    r"(?:(?:possible |likely )?causes?|reason|solution|fix|remedy|resolution|workaround"
    r"|what to do)(?: \d{1,3})?:",
    re.I,
)
# Of a leader, what says nothing: `For example:`, `Do the following:`, `It looks like this:`.
_NO_LEADING_WORDS = frozenset(
    {*content_words("example instance follow like look note result output mean show see give do")}
    | {"beispiel", "exempl", "ejempl"}
)
# `class click.Option(param_decls=None)[source]`, without what it is.
_SIGNATURE = re.compile(
    r"(?:(?:class|def|async|static|classmethod|abstract|abstractmethod|property|exception) )*+"
    r"[\w.]++\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*+\))*+\))*+\)"
    r"(?: ?(?:->|→) ?[\w.]++(?:\[[^\s\]]*+\]*+)?)?(?:\[source\])?\W{0,5}\Z"
)
# What is longer may be a log, whose beginning is in another chunk; few of its signs are letters.
MAX_SENTENCE = 1_000
LETTERS_OF_SPEECH = 0.8
# Letters of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, kana and Han.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
# What has more of them is more than a word.
MAX_UNSPACED_WORD = 4
_VERDICTS = frozenset({"yes", "no", "ja", "nein", "oui", "non", "sí"})


def is_quotable(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a statement says something, alone or with what belongs to it.

    A block of code does after the sentence before it; a sentence that introduces something does not
    without that, and a single word does not.
    """
    one = quotable[place]
    if one.kind == "code":
        return _is_told(quotable, place) and len(one.shown) <= MAX_BLOCK_CHARACTERS
    if introduces(one):
        return bool(_block(quotable, place)) and not leads_from_nothing(quotable, place)
    if one.kind == "prose" and (_SIGNATURE.match(one.shown) or _is_log(one.shown)):
        return False
    return one.can_stand_alone and (one.kind == "row" or not _is_a_word(one.shown))


def _is_a_word(text: str) -> bool:
    if len(text.split()) > 1:
        return False
    return not _UNSPACED.search(text) or sum(map(str.isalnum, text)) <= MAX_UNSPACED_WORD


def _is_log(text: str) -> bool:
    if len(text) <= MAX_SENTENCE:
        return False
    return sum(sign.isalpha() or sign.isspace() for sign in text) < LETTERS_OF_SPEECH * len(text)


def is_headed_code(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a block of code stands directly under a heading, which tells what it is for.

    Not so if a heading before it may deny it: which one that is under, nothing tells.
    """
    one, before = quotable[place], _before(quotable, place)
    if one.kind != "code" or len(one.shown) > MAX_BLOCK_CHARACTERS or before is None:
        return False
    return before.kind == "heading" and not _is_denied_before(quotable, place)


def _is_denied_before(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether any heading before a statement in its passage may deny what stands under it."""
    passage = quotable[place].statement.passage
    before = takewhile(
        lambda one: one.statement.passage == passage, map(quotable.__getitem__, range(place)[::-1])
    )
    return any(one.kind == "heading" and governs(one) for one in before)


def whole_statement(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The places of a statement and of what belongs to it, in order."""
    one = quotable[place]
    if one.kind == "code":
        return (*with_antecedent(quotable, place - 1), place)
    return (
        *_facts_before(quotable, place),
        *_verdict(quotable, place),
        *with_antecedent(quotable, place),
        *(_block(quotable, place) if introduces(one) else _completion(quotable, place)),
        *_remedy(quotable, place),
    )


def _facts_before(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The places of the single facts over a sentence, under the heading of both: `Default: 30`."""
    passage, facts = quotable[place].statement.passage, list[int]()
    if quotable[place].kind != "prose" or quotable[place].is_fact:
        return ()
    for before in range(place - 1, max(-1, place - 2 - MAX_FACTS), -1):
        one = quotable[before]
        if one.statement.passage != passage or one.kind not in {"prose", "heading"}:
            break
        if one.kind == "heading":
            return tuple(reversed(facts))
        if one.is_fact:
            facts.append(before)
        elif is_ended(one.shown):
            break
    return ()


def _remedy(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """What is said of a symptom after it: its cause, its solution, the code for that."""
    if not _SYMPTOM.match(quotable[place].statement.text):
        return ()
    passage = quotable[place].statement.passage
    found: list[int] = []
    at = place + 1
    while at < len(quotable) and quotable[at].statement.passage == passage:
        one = quotable[at]
        if one.kind not in {"prose", "item"} or not _REMEDY.match(one.statement.text):
            break
        found += [at, *(_block(quotable, at) if introduces(one) else ())]
        at = found[-1] + 1
    return tuple(found) if _length(quotable, found) <= MAX_BLOCK_CHARACTERS else ()


def _completion(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """What a statement is only the beginning of, though nothing says so.

    The items under an item, as of `first class, unless`, and the code under a line that names it.
    """
    one, after = quotable[place], place + 1
    if one.kind not in {"prose", "item"} or is_ended(one.statement.text):
        return ()
    found = _block(quotable, place)
    if one.kind == "item":
        return found if found and quotable[after].kind == "item" else ()
    return found if found and quotable[after].kind == "code" else ()


def _verdict(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The place of a `Yes.` before a statement, which decides what it tells more of."""
    before = _before(quotable, place)
    decides = before is not None and before.statement.text.rstrip(".!").lower() in _VERDICTS
    return (place - 1,) if decides else ()


def step_sequence(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The numbered steps that a statement is one of, after what introduces them.

    Nothing if it stands before them, or if they are too long to quote.
    """
    steps = _stretch(quotable, place, {"item", "code"})
    numbered = [one for one in steps if quotable[one].is_numbered]
    if not numbered or _length(quotable, steps) > MAX_BLOCK_CHARACTERS:
        return ()
    before = numbered[0] - 1
    introduced = _is_introduced(quotable, numbered[0])
    found = ((before,) if introduced else ()) + tuple(range(numbered[0], steps[-1] + 1))
    return found if place in found else ()


def list_after(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The list or the table directly after a heading, with the sentences that introduce it.

    Nothing if it is too long to quote.
    """
    introduction = _introduction_after(quotable, place)
    first = next(_following(quotable, introduction[-1] if introduction else place), None)
    if first is None or quotable[first].kind == "code":
        return ()
    kind = quotable[first].kind
    listed = _stretch(quotable, first, {"item", "code"} if kind == "item" else {kind})
    if _length(quotable, listed) > MAX_BLOCK_CHARACTERS:
        return ()
    return (*introduction, *listed)


def _introduction_after(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The places of the next sentences, if something must follow the last of them."""
    passage = quotable[place].statement.passage
    for after in islice(range(place + 1, len(quotable)), MAX_INTRODUCTION):
        one = quotable[after]
        if one.kind != "prose" or one.statement.passage != passage:
            return ()
        if introduces(one):
            return tuple(range(place + 1, after + 1))
    return ()


def block_around(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The list or the table that a statement is part of; nothing if it is too long to quote."""
    kind = quotable[place].kind
    places = _stretch(quotable, place, {kind} & LISTED)
    fits = len(places) <= MAX_ITEMS and _length(quotable, places) <= MAX_BLOCK_CHARACTERS
    return tuple(places) if fits else ()


def named_block(quotable: Sequence[Quotable], place: int, name: str) -> tuple[int, ...]:
    """The list or the table of these things that a statement is part of, or stands before.

    Nothing if neither the sentence before it, its header nor the heading above has their name.
    """
    if quotable[place].kind == "prose":
        inside = next(_following(quotable, place), None)
        block = () if inside is None else block_around(quotable, inside)
        header = quotable[block[0]].header if block else None
        named = quotable[place].content | (header.content if header else frozenset())
        return (place, *block) if block and name in named else ()
    block = block_around(quotable, place)
    return block if block and name in words_before(quotable, block[0]) else ()


def words_before(quotable: Sequence[Quotable], first: int) -> frozenset[str]:
    """The words of what stands between a heading and the first of a list, and its header's."""
    passage = quotable[first].statement.passage
    words: set[str] = set()
    for before in range(first - 1, -1, -1):
        one = quotable[before]
        if one.statement.passage != passage or one.kind in LISTED | {"code"}:
            break
        words |= one.content
        if one.kind == "heading":
            break
    return frozenset(words)


def _stretch(quotable: Sequence[Quotable], place: int, kinds: Set[str]) -> range:
    """The places around one, in its passage, that are all of these kinds."""
    passage = quotable[place].statement.passage

    def belongs(at: int) -> bool:
        one = quotable[at]
        is_of_kind = one.kind in kinds or (one.in_item and "item" in kinds)
        return is_of_kind and one.statement.passage == passage

    if not belongs(place):
        return range(0)
    first = last = place
    while first > 0 and belongs(first - 1):
        first -= 1
    while last + 1 < len(quotable) and belongs(last + 1):
        last += 1
    return range(first, last + 1)


def _length(quotable: Sequence[Quotable], places: Iterable[int]) -> int:
    return sum(len(quotable[one].shown) for one in places)


def introduces(one: Quotable) -> bool:
    """Whether something must follow a statement: code, a list, a table."""
    return one.kind in _LEADING and leads_on(one.statement.text)


def _is_told(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a sentence stands before something, which tells what it is."""
    before = _before(quotable, place)
    if before is not None and introduces(before):
        return not leads_from_nothing(quotable, place - 1)
    return before is not None and before.kind == "prose" and is_quotable(quotable, place - 1)


def leads_from_nothing(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether what a leader goes on from is in no passage: of a first `For example:`."""
    is_first = _before(quotable, place) is None
    return is_first and quotable[place].statement.content <= _NO_LEADING_WORDS


def _is_introduced(quotable: Sequence[Quotable], place: int) -> bool:
    before = _before(quotable, place)
    return before is not None and introduces(before)


def _before(quotable: Sequence[Quotable], place: int) -> Quotable | None:
    """What stands directly before a statement in its passage."""
    if place == 0 or quotable[place - 1].statement.passage != quotable[place].statement.passage:
        return None
    return quotable[place - 1]


def _block(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The code, the list or the table after a statement; nothing if it is too long to quote."""
    found = tuple(_following(quotable, place))
    return found if _length(quotable, found) <= MAX_BLOCK_CHARACTERS else ()


def _following(quotable: Sequence[Quotable], place: int) -> Iterator[int]:
    first = place + 1
    if first < len(quotable) and quotable[first].kind == "header":
        # Its names are shown with every row.
        first += 1
    if first >= len(quotable):
        return
    kind, leader = quotable[first].kind, quotable[place]
    if kind not in LISTED | {"code"}:
        return
    size = 1 if kind == "code" else MAX_ITEMS
    for one in islice(range(first, len(quotable)), size):
        is_of_kind = quotable[one].kind == kind or (quotable[one].in_item and kind == "item")
        if not is_of_kind or not _is_under(leader, quotable[one]):
            return
        yield one


def _is_under(leader: Quotable, one: Quotable) -> bool:
    """Whether something can belong to what leads to it: of items, those that stand deeper."""
    if leader.statement.passage != one.statement.passage:
        return False
    return leader.kind != "item" or one.kind not in {"item", "prose"} or one.indent > leader.indent
