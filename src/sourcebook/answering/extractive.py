"""Answers without a language model: quotes the sentences of the evidence that answer best."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence, Set
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from itertools import chain, dropwhile

from sourcebook.answering.answered_questions import listed_answers
from sourcebook.answering.citation_markers import marked, without_last_marker
from sourcebook.answering.composer import AnswerComposer, AnswerContext
from sourcebook.answering.corpora import Corpus
from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.evidence_judge import ANSWER_THRESHOLD, EvidenceJudge
from sourcebook.answering.introductions import asks_about_book, introduction
from sourcebook.answering.named_items import NamedItems, name_of, named_items
from sourcebook.answering.question_kinds import (
    QuestionKind,
    Side,
    asked_things,
    fits,
    question_kind,
    says_what_it_is,
    sides_of,
)
from sourcebook.answering.question_subject import asks_about_whole_text
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.answering.statements import (
    NO_STATEMENTS,
    Quotable,
    governing_leads,
    in_one_line,
    is_fragment,
)
from sourcebook.answering.whole_statements import (
    block_around,
    introduces,
    is_headed_code,
    is_quotable,
    leads_from_nothing,
    named_block,
    step_sequence,
    whole_statement,
)
from sourcebook.answering.writers import Brief
from sourcebook.core.answers import NOTHING_FOUND, Citation, Question
from sourcebook.core.documents import Hit, Span
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Reader
from sourcebook.search.words import content_words
from sourcebook.text.governing import is_ended

MODEL = "extractive"
# Without what belongs to them.
MAX_SENTENCES = 4
# Of a selection or a book, when somebody asks what it is about: writers say that first.
OPENING_SENTENCES = 3
# A book may begin with a note on its edition.
OPENING_PART = 8
MAX_CHARACTERS = 900
# Of the best sentence's rank: what is much worse would only dilute the answer. On ClapNQ, 0.7
# finds 53 % of the sentences that people chose, and 68 % of what it quotes is among them; 0.8
# finds 43 %, and no more of it is right.
MIN_RELATIVE_RANK = 0.7
# The less sure it is that the best one answers, the more is quoted beside it.
SURE_PROBABILITY = 0.9
MIN_RELATIVE_RANK_IF_UNSURE = 0.5
# A sentence that leads to something is quoted without it if it is so many times better than others.
MIN_LEADER_LEAD = 2.0
# Of the question's words: a block that holds so many is the message that somebody asks about.
MIN_MESSAGE_SHARE = 0.7
# Of an item of an item: as wide as "1. ", for what renders Markdown.
MARGIN = "   "
# Two sentences that share more of their words than this say the same.
MAX_OVERLAP = 0.7
# Of the best rank, for what has the shape that a question of its kind wants: the figure, the flag.
SHAPE_BONUS = 0.15
# Few sentences begin with the subject and say what it is.
DEFINITION_BONUS = 0.6
# Of the rank of a question in the text: what comes after it most likely answers it.
ANSWERED_SHARE = 0.65
# Of the best statement's rank: what is said about the other side of a comparison.
MIN_SIDE_RANK = 0.25
# What begins with a side tells what it is or does, and need not be that good: of the best rank, and
# of the best about that side.
MIN_TOLD_RANK = 0.15
MIN_TELLING_RANK = 0.4
# Of an item's or row's rank, for the next best: if that is worse, one of the list is meant.
MIN_NEIGHBOUR_RANK = 0.4
# Of the rank of what only says where to read: "For details see X" is about it, and tells nothing.
POINTER_SHARE = 0.5
_POINTER = re.compile(
    r"(?:for (?:\S+ ){1,12}?)?(?:please )?(?:see|refer to|consult) "
    r"(?!that |if |how |what )(?!.*:\Z)",
    re.IGNORECASE,
)
# "A pump lifts; a drain lets go": the best that can be said of a difference.
_CONTRAST = re.compile(
    r";|\b(?:whereas|while|but|in contrast|on the other hand|the difference)\b", re.IGNORECASE
)
# What no word says: `#`, `\\`, or what comes after a colon.
_SIGN = re.compile(r"[^\w\s*_`\"'’.,()/-]")
_BEFORE_A_SUBJECT = frozenset(
    {"a", "an", "the", "each", "every", "all", "any", "some", "this", "these"}
    | {"when", "if", "with", "in"}
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    place: int
    rank: float
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists that name what is asked, those of each place, and those that answer it whole.

    They are found once for a question: looking for them at each statement takes too long.
    """

    named: tuple[NamedItems, ...]
    of_place: Mapping[int, NamedItems]
    answers: Mapping[int, tuple[int, ...]]


class ExtractiveWriter:
    """Quotes. What it says stands in the sources word for word."""

    model = MODEL
    refuses = False
    quotes = True

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        """The best sentences, those of one passage in reading order."""
        before: Quotable | None = None
        in_list = False
        margins: list[int] = []
        chosen = await asyncio.to_thread(best_sentences, brief)
        has_steps = _has_all_steps(chosen)
        for one in chosen:
            led = before is not None and (in_list or introduces(before) or _is_below(before, one))
            listed = one.kind == "item" and (led or (has_steps and one.is_numbered))
            in_list = listed or (in_list and (one.kind == "code" or one.in_item))
            gap = "" if before is None else _gap(brief, before, one, listed=listed)
            margins = _margins(margins, one) if in_list else []
            margin = MARGIN * (len(margins) - 1) if listed and one.bullet else ""
            yield gap + margin + _said(one, listed=listed)
            before = one


class Quoter:
    """Quotes what answers best, or refuses. A marker [2] points to the second hit."""

    model = MODEL

    def __init__(
        self,
        corpus: Corpus,
        models: EmbeddingModels,
        reader: Reader | None = None,
        threshold: float = ANSWER_THRESHOLD,
    ) -> None:
        self._corpus = corpus
        self._models = models
        self._reader = reader
        self._threshold = threshold

    async def answer(self, question: str, hits: Sequence[Hit]) -> str:
        """The sentences of the hits that answer the question."""
        # Whatever was found, a model had embedded the question.
        embedder = next(iter(self._models), None)
        if not hits or embedder is None:
            return NOTHING_FOUND
        case = AnswerContext(Question(question, top_k=len(hits)), question, self._passages(hits))
        judge = EvidenceJudge(SentenceEmbedder(embedder), self._reader, self._threshold)
        composition = AnswerComposer(case, ExtractiveWriter(), judge)
        async with aclosing(composition.pieces()) as pieces:
            sentences = [piece async for piece in pieces]
        places = _places(composition.citations, hits)
        return "".join(_renumbered(sentence, places) for sentence in sentences).strip()

    def _passages(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        return tuple(
            Passage(
                number,
                hit.chunk.text,
                self._corpus.source(hit.chunk),
                hit.score,
                hit.chunk.extent,
                hit.similarity,
            )
            for number, hit in enumerate(hits, 1)
        )


def best_sentences(brief: Brief) -> tuple[Quotable, ...]:
    """The statements that answer the question best."""
    opening = _opening(brief)
    if opening:
        return opening
    lists = _lists(brief)
    candidates = sorted(_candidates(brief, lists), key=lambda one: (-one.rank, one.place))
    alone = _leader_alone(brief, candidates[0].rank if candidates else 0.0)
    if alone is not None:
        return (brief.quotable[alone], *_goes_on_after(brief, alone))
    if not candidates:
        return ()
    sides = _of_each_side(brief, candidates)
    if sides:
        return tuple(brief.quotable[place] for place in _in_order(brief.quotable, sides))
    chosen: list[int] = []
    further: list[int] = []
    known: list[_Candidate] = []
    length = 0
    for candidate in _beside(brief, candidates):
        if len(known) >= MAX_SENTENCES:
            break
        if any(_says_the_same(brief, candidate, other) for other in known):
            continue
        whole = _whole(brief, lists, candidate.place)
        places = [place for place in whole if place not in chosen]
        longer = length + sum(len(brief.quotable[place].shown) for place in places)
        if chosen and longer > MAX_CHARACTERS:
            continue
        chosen.extend(places)
        leans_on_others = len(places) < len(whole)
        if candidate.rank < MIN_RELATIVE_RANK * candidates[0].rank and not leans_on_others:
            further.extend(places)
        known.append(candidate)
        length = longer
    # What is far from the best comes after it, wherever it stands.
    near = [place for place in chosen if place not in further]
    ordered = [*_in_order(brief.quotable, near), *_in_order(brief.quotable, further)]
    return tuple(brief.quotable[place] for place in ordered)


def _beside(brief: Brief, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The best statement, and what comes near enough to it to be quoted, too."""
    best = candidates[0]
    if question_kind(brief.question) == "definition" and _says_what_it_is(brief, best):
        # Beside what says what something is, only what says it too.
        near = [one for one in candidates if _says_what_it_is(brief, one)]
        return [one for one in near if one.rank >= MIN_RELATIVE_RANK * best.rank]
    unsure = brief.probability is not None and brief.probability < SURE_PROBABILITY
    share = MIN_RELATIVE_RANK_IF_UNSURE if unsure else MIN_RELATIVE_RANK
    return [one for one in candidates if one.rank >= share * best.rank]


def _says_what_it_is(brief: Brief, candidate: _Candidate) -> bool:
    return says_what_it_is(brief.question, brief.quotable[candidate.place])


def _leader_alone(brief: Brief, next_best: float) -> int | None:
    """The best statement, if what it leads to cannot be quoted and nothing else comes near it.

    "Node.js version 20 or above:" says more than whatever else is found.
    """
    leaders = [
        place
        for place, one in enumerate(brief.quotable)
        if introduces(one) and not leads_from_nothing(brief.quotable, place)
    ]
    best = max(leaders, key=lambda place: brief.ranks[place], default=None)
    if best is None or is_quotable(brief.quotable, best):
        return None
    return best if MIN_LEADER_LEAD * next_best < brief.ranks[best] else None


def _goes_on_after(brief: Brief, leader: int) -> tuple[Quotable, ...]:
    """The sentence that a leader leads to, as where the items of a list have lost their signs."""
    after = _goes_on(brief, leader)
    return () if after is None else (brief.quotable[after],)


def _whole(brief: Brief, lists: _Lists, place: int) -> tuple[int, ...]:
    """A statement with what belongs to it: of a how-to all steps, of a list all items."""
    block = lists.answers.get(place, ())
    whole = block or _without_others(lists, _with_block(brief, place))
    return tuple(dict.fromkeys([*governing_leads(brief.quotable, whole[0]), *whole]))


def _with_block(brief: Brief, place: int) -> tuple[int, ...]:
    kind = question_kind(brief.question)
    block: tuple[int, ...] = ()
    if kind == "how-to":
        block = step_sequence(brief.quotable, place)
    elif kind == "list":
        block = block_around(brief.quotable, place)
    elif things := asked_things(brief.question):
        block = _list_of(brief, place, things)
    return block or _explained(brief, whole_statement(brief.quotable, place))


def _without_others(lists: _Lists, whole: tuple[int, ...]) -> tuple[int, ...]:
    """Of a list that is to be quoted, only the items that the question names, if it does."""
    for items in (lists.of_place[place] for place in whole if place in lists.of_place):
        known = (place for place in whole if lists.of_place.get(place) is items)
        named = tuple(place for place in known if place not in items.others)
        if named and not items.others.isdisjoint(whole):
            return named
    return whole


def _lists(brief: Brief) -> _Lists:
    named = tuple(_named_items(brief))
    return _Lists(
        named,
        {place: items for items in named for place in chain(items.named, items.others)},
        listed_answers(brief.question, brief.quotable),
    )


def _named_items(brief: Brief) -> Iterator[NamedItems]:
    """What the question names; of one that asks for a list, what has the very name of that."""
    kind = question_kind(brief.question)
    if kind not in {"how-to", "comparison"}:
        asked = frozenset(content_words(brief.question))
        yield from named_items(brief.quotable, asked, alone=kind == "list")


def _passed_over(brief: Brief, lists: _Lists) -> Iterator[int]:
    """The places beside what the question names, unless that is much worse than they."""
    for items in lists.named:
        best = max(brief.ranks[place] for place in items.named)
        yield from (
            place for place in items.others if MIN_NEIGHBOUR_RANK * brief.ranks[place] <= best
        )


def _list_of(brief: Brief, place: int, things: str) -> tuple[int, ...]:
    """All of the things that are asked for, unless one of them alone answers."""
    block = named_block(brief.quotable, place, things)
    others = [brief.ranks[one] for one in block if one != place]
    stands_out = max(others, default=0.0) < MIN_NEIGHBOUR_RANK * brief.ranks[place]
    return () if stands_out and brief.quotable[place].kind != "prose" else block


def _explained(brief: Brief, places: tuple[int, ...]) -> tuple[int, ...]:
    """A message that was asked for, with the sentence after it, which says what it means."""
    shown = brief.quotable[places[-1]]
    asked = frozenset(content_words(brief.question))
    held = len(asked & shown.statement.content)
    if shown.kind != "code" or held < MIN_MESSAGE_SHARE * len(asked):
        return places
    after = _goes_on(brief, places[-1])
    return places if after is None else (*places, after)


def _goes_on(brief: Brief, place: int) -> int | None:
    """The place of the sentence directly after a statement, if it says something."""
    after = _place_after(brief, place)
    if after is None:
        return None
    one = brief.quotable[after]
    return after if one.kind == "prose" and one.can_stand_alone and not introduces(one) else None


def _place_after(brief: Brief, place: int) -> int | None:
    """The place of what stands after a statement, also in the passage that goes on there."""
    number = brief.quotable[place].statement.passage
    after = place + 1
    if after < len(brief.quotable) and brief.quotable[after].statement.passage == number:
        return after
    passages = by_number(brief.passages)
    shown = passages[number]
    following = (one for one in brief.passages if one != shown and shown.goes_on_in(one))
    next_one = next(following, None)
    if next_one is None or shown.extent is None:
        return None
    for at, one in enumerate(brief.quotable):
        if one.statement.passage == next_one.number:
            lines = next_one.lines(Span(one.statement.start, one.statement.end))
            # What both have is the overlap.
            if lines is not None and lines[0] > shown.extent.last_line:
                return at
    return None


def _opening(brief: Brief) -> tuple[Quotable, ...]:
    """What a selection, a page or a book says of itself at first, if that is what is asked."""
    if brief.mode == "selected_text" or brief.on_page:
        if not asks_about_whole_text(brief.question):
            return ()
        prose = [one for one in brief.quotable if one.kind not in NO_STATEMENTS]
        return tuple(prose[:OPENING_SENTENCES])
    first = introduction(brief.passages) if asks_about_book(brief.question) else None
    if first is None:
        return ()
    places = [
        place
        for place, one in enumerate(brief.quotable)
        if one.statement.passage == first.number and one.kind == "prose" and one.can_stand_alone
    ][:OPENING_PART]
    best = sorted(places, key=lambda place: (-brief.ranks[place], place))[:OPENING_SENTENCES]
    return tuple(brief.quotable[place] for place in sorted(best))


def _of_each_side(brief: Brief, candidates: Sequence[_Candidate]) -> list[int]:
    """Of a comparison the best statement about each side; nothing if one speaks of both."""
    sides = sides_of(brief.question)
    if sides is None:
        return []
    best = candidates[0]
    if table := _table_of_both(brief, best.place, sides):
        return list(table)
    told = [one for one in candidates if one.rank >= MIN_TOLD_RANK * best.rank]
    is_whole = not is_fragment(brief.quotable[best.place])
    of_both = is_whole and all(_is_named(brief, best, side) for side in sides)
    if of_both and _CONTRAST.search(brief.quotable[best.place].statement.text):
        return []
    find = partial(_telling if of_both else _about, brief, told)
    found = [one for one in map(find, sides, reversed(sides)) if one is not None]
    if len(found) < len(sides):
        return []
    places = [place for one in found for place in whole_statement(brief.quotable, one.place)]
    return list(dict.fromkeys(places))


def _table_of_both(brief: Brief, place: int, sides: Sequence[Side]) -> tuple[int, ...]:
    """All rows of a table with a column for each side, if a statement is one of them."""
    header = brief.quotable[place].header
    columns = [frozenset(content_words(cell)) for cell in header.cells] if header else []
    has_both = all(any(side.stems <= column for column in columns) for side in sides)
    block = block_around(brief.quotable, place) if has_both else ()
    return (*governing_leads(brief.quotable, block[0]), *block) if block else ()


def _about(
    brief: Brief, candidates: Sequence[_Candidate], side: Side, other: Side
) -> _Candidate | None:
    """What tells of one side alone, else the best about it alone, else the best that names it.

    In "liveness vs readiness probe" the last word is of both sides, so that a side is named only by
    all of its words.
    """
    told = _telling(brief, candidates, side, other)
    if told is not None:
        return told
    near = [one for one in candidates if one.rank >= MIN_SIDE_RANK * candidates[0].rank]
    naming = (one for one in near if _is_named(brief, one, side))
    touching = (one for one in near if side.stems & one.words)
    return next(chain(_alone(brief, near, side, other), naming, touching), None)


def _telling(
    brief: Brief, candidates: Sequence[_Candidate], side: Side, other: Side
) -> _Candidate | None:
    """The best about one side alone that begins with it, if it is not much worse than others."""
    alone = _alone(brief, candidates, side, other)
    for one in alone:
        begins = _begins_with(brief.quotable[one.place], side)
        if begins and one.rank >= MIN_TELLING_RANK * alone[0].rank:
            return one
    return None


def _begins_with(one: Quotable, side: Side) -> bool:
    """Whether a statement is about one side from the start: `However, even with` it is not."""
    words = list(dropwhile(lambda word: word.text in _BEFORE_A_SUBJECT, one.statement.words))
    named = [word.stem for word in words if word.kind == "content"][: len(side.stems)]
    return bool(words) and words[0].kind == "content" and frozenset(named) == side.stems


def _alone(
    brief: Brief, candidates: Sequence[_Candidate], side: Side, other: Side
) -> list[_Candidate]:
    """Those about one side that do not touch the other, or that have its name."""
    return [
        one
        for one in candidates
        if _is_named(brief, one, side)
        and (name_of(brief.quotable[one.place]) == side.stems or not _is_touched(brief, one, other))
    ]


def _is_named(brief: Brief, candidate: _Candidate, side: Side) -> bool:
    return side.is_named(brief.quotable[candidate.place].statement.text, candidate.words)


def _is_touched(brief: Brief, candidate: _Candidate, side: Side) -> bool:
    return side.is_touched(brief.quotable[candidate.place].statement.text, candidate.words)


def _candidates(brief: Brief, lists: _Lists) -> Iterator[_Candidate]:
    kind = question_kind(brief.question)
    share = DEFINITION_BONUS if kind == "definition" else SHAPE_BONUS
    bonus = share * max(brief.ranks, default=0.0)
    passages = by_number(brief.passages)
    asked = frozenset(content_words(brief.question))
    passed_over = frozenset(_passed_over(brief, lists))
    for place, one in enumerate(brief.quotable):
        if place in passed_over or not _may_be_quoted(kind, asked, brief.quotable, place):
            continue
        if words := one.statement.content:
            passage = passages[one.statement.passage]
            fitting = fits(kind, brief.question, brief.quotable, place, passage)
            counted = POINTER_SHARE if _POINTER.match(one.statement.text) else 1.0
            rank = counted * _rank(brief, place) + bonus * fitting
            yield _Candidate(place, rank, words)


def _may_be_quoted(
    kind: QuestionKind, asked: Set[str], quotable: Sequence[Quotable], place: int
) -> bool:
    """Whether a statement says something, and not only the name of what is asked for."""
    if kind == "how-to" and is_headed_code(quotable, place):
        return not asked.isdisjoint(quotable[place - 1].statement.content)
    names = kind == "definition" and _is_bare_name(quotable[place], asked)
    return is_quotable(quotable, place) and not names


def _is_bare_name(one: Quotable, asked: Set[str]) -> bool:
    """Whether a line is nothing but words that are asked for: no sentence, no sign, no denial."""
    text, words = one.statement.text, one.statement.words
    if is_ended(text) or introduces(one) or _SIGN.search(text):
        return False
    return all(word.kind == "function" or word.stem in asked for word in words)


def _rank(brief: Brief, place: int) -> float:
    """How well a statement answers; one after a question answers that one as well."""
    before = place - 1
    if before < 0 or not _is_asked_before(brief.quotable[before], brief.quotable[place]):
        return brief.ranks[place]
    return max(brief.ranks[place], ANSWERED_SHARE * brief.ranks[before])


def _is_asked_before(before: Quotable, one: Quotable) -> bool:
    return before.is_question and before.statement.passage == one.statement.passage


def _in_order(quotable: Sequence[Quotable], chosen: Sequence[int]) -> list[int]:
    """By passage, the best one's first, and within a passage as they stand."""
    passages = list(dict.fromkeys(quotable[place].statement.passage for place in chosen))
    return sorted(
        set(chosen), key=lambda place: (passages.index(quotable[place].statement.passage), place)
    )


def _says_the_same(brief: Brief, one: _Candidate, other: _Candidate) -> bool:
    """Whether two share most of their words; rows of one table do, and differ in the others."""
    header = brief.quotable[one.place].header
    if header is not None and header is brief.quotable[other.place].header:
        return False
    shared = len(one.words & other.words)
    return shared > MAX_OVERLAP * min(len(one.words), len(other.words))


def _said(one: Quotable, *, listed: bool) -> str:
    """A statement as it is sent; what a block of code cites is found by the check."""
    if one.kind == "code":
        return one.statement.text
    bullet = one.bullet if listed else ""
    return marked(bullet + in_one_line(one.shown), (one.statement.passage,))


def _margins(above: Sequence[int], one: Quotable) -> list[int]:
    """The margins of the items that an item is part of, and its own."""
    if one.kind != "item" or not one.bullet:
        return list(above)
    return [*(margin for margin in above if margin < one.indent), one.indent]


def _is_below(before: Quotable, one: Quotable) -> bool:
    """Whether an item is part of the item before it."""
    return before.kind == one.kind == "item" and before.indent < one.indent


def _has_all_steps(chosen: Sequence[Quotable]) -> bool:
    """Whether steps are quoted from the first on: others would be numbered oddly."""
    bullets = [one.bullet for one in chosen if one.is_numbered]
    return len(bullets) > 1 and bullets == [f"{n}. " for n in range(1, len(bullets) + 1)]


def _gap(brief: Brief, before: Quotable, one: Quotable, *, listed: bool) -> str:
    """What stands between two sentences: items and other sections begin on lines of their own.

    So does what comes after a line that is no sentence.
    """
    if before.kind != one.kind or not _is_same_section(brief, before, one):
        return "\n\n"
    if (one.kind == "prose" and is_ended(before.statement.text)) or (
        one.kind == "item" and not one.bullet
    ):
        return " "
    return "\n" if listed else "\n\n"


def _is_same_section(brief: Brief, before: Quotable, one: Quotable) -> bool:
    """Whether no heading stands between two statements of one passage."""
    passage, start = one.statement.passage, one.statement.start
    return before.statement.passage == passage and not any(
        heading.kind == "heading"
        and heading.statement.passage == passage
        and before.statement.end <= heading.statement.start < start
        for heading in brief.quotable
    )


def _places(citations: Sequence[Citation], hits: Sequence[Hit]) -> dict[int, int]:
    """The number of a citation, and which hit it cites."""
    by_chunk = {hit.chunk.id: place for place, hit in enumerate(hits, 1)}
    return {one.number: by_chunk[one.chunk_id] for one in citations if one.chunk_id is not None}


def _renumbered(sentence: str, places: dict[int, int]) -> str:
    """The markers at its end with the numbers of hits; others are the source's own."""
    cited: list[int] = []
    claim, number = without_last_marker(sentence)
    while number in places:
        cited.insert(0, places[number])
        sentence = claim
        claim, number = without_last_marker(sentence)
    return marked(sentence, tuple(dict.fromkeys(cited))) if cited else sentence
