"""A statement as proof reads it: what it says, and what its words refer to."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from sourcebook.answering.proof.alignment import (
    ClaimReading,
    EvidenceReading,
    aligns,
    claim_readings,
)
from sourcebook.answering.proof.clauses import (
    antecedent,
    clause_end,
    has_verb,
    names_others,
    subject,
)
from sourcebook.answering.proof.conjuncts import assertions, resolve
from sourcebook.answering.proof.frame_forms import normal_frames
from sourcebook.answering.proof.frame_match import FrameMatch, stands_alone
from sourcebook.answering.proof.frame_reading import read_frames
from sourcebook.answering.proof.frames import Frame
from sourcebook.answering.proof.full_names import in_short
from sourcebook.answering.proof.mentions import Mentions
from sourcebook.answering.proof.nominals import NOMINALS
from sourcebook.answering.proof.omissions import cores, without_brackets
from sourcebook.answering.proof.people import is_person
from sourcebook.answering.proof.references import (
    REFERRING,
    References,
    is_in_order,
    resolved,
    title_names,
    with_nouns,
    without_topic_words,
)
from sourcebook.answering.proof.rewrites import evidence_readings, readings
from sourcebook.answering.proof.sentence import plain_text, read_sentence
from sourcebook.answering.proof.table_rows import header_of, is_header, is_row, read_row
from sourcebook.answering.proof.tokens import Token, Tokens, needed_keys, read_tokens
from sourcebook.answering.proof.word_classes import PRONOUNS
from sourcebook.answering.statements import Statement
from sourcebook.search.words import content_words

# `Warranty: two years` says that the warranty is two years; a longer label says something itself.
MAX_LABEL_WORDS = 5
# `It … . It … . It …`: so far back is looked for what it is.
MAX_PRONOUN_CHAIN = 6
_BE = Token("be", form="s")
_MEAN, _THAT = Token("mean", form="s"), Token("that")
_BORN = "born"
_OF_THINGS = frozenset({"it", "its", "they", "their"})
_PLACING = frozenset({"in", "on", "with", "for", "under", "at"})


class StatementReading:
    """A statement among its neighbours, read when it is first needed."""

    def __init__(
        self, statements: Sequence[Statement], place: int, title: str, mentions: Mentions
    ) -> None:
        self._statements = statements
        self._place = place
        self._title = title
        self._mentions = mentions
        self.statement = statements[place]

    @cached_property
    def plain(self) -> str:
        return plain_text(self.statement.text)

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its words, and of what its pronoun or its column may stand for."""
        if is_row(self.statement.text) and (header := self._header()):
            return self.statement.content | frozenset(content_words(header))
        before = self._before(self._place)
        return self.statement.content | (before.content if before else frozenset())

    @property
    def tokens(self) -> Tokens:
        return read_sentence(self.statement.text)

    @cached_property
    def named(self) -> Tokens:
        """Its tokens with names for pronouns, and names in full."""
        return self._mentions.in_statement(self._number)

    @cached_property
    def _number(self) -> int:
        """Which statement of its passage it is."""
        first = self._place
        while self._before(first) is not None:
            first -= 1
        return self._place - first

    @cached_property
    def keys(self) -> frozenset[str]:
        """All that a claim could find here, to pass over most statements at once."""
        text, about = self.statement.text, self._about() or ()
        meant = [token for one in self._candidates_for_pronouns() for token in one]
        known = [*read_tokens(text), *about, *meant, *self.named]
        if is_row(text):
            known += read_tokens(self._header() or "")
        known += (_MEAN,) if ":" in text else ()
        return frozenset(token.key for token in known)

    def proves(self, claim: Sequence[ClaimReading]) -> bool:
        return any(aligns(said, evidence) for evidence in self._readings for said in claim)

    def proves_of_topic(self, claim: Tokens) -> bool:
        """Whether it proves a claim that first names what the whole passage is about."""
        if self._references.has_turned or any(map(is_person, self.tokens)):
            return False
        return self._proves_version(_without_topic(claim, self.topic))

    def proves_in_short(self, claim: Tokens) -> bool:
        """Whether it proves a claim that gives things and people their full names."""
        passage = self.statement.passage
        texts = (one.text for one in self._statements if one.passage == passage)
        short = in_short(claim, self.tokens, map(read_sentence, texts))
        bare = without_topic_words(claim, self.tokens, self.keys, self._references)
        return any(map(self._proves_version, (short, bare)))

    def _proves_version(self, claim: Tokens | None) -> bool:
        if claim is None or not needed_keys(claim) <= self.keys:
            return False
        return self.proves(claim_readings(readings(claim)))

    def says(self, frame: Frame) -> int | None:
        """Where among its own frames it says what a frame of a claim says."""
        match = FrameMatch(self._references)
        for frames in self._frames:
            for order, own in enumerate(frames):
                if stands_alone(own, frames) and match.follows(frame, own):
                    return order
        return None

    @cached_property
    def frame_keys(self) -> frozenset[str]:
        """All that a frame of a claim could find here, to pass over most statements at once."""
        known = {token.key for token in (*self.tokens, *self.named)}
        known |= self._references.keys()
        before = self._before(self._place)
        if before is not None:
            known |= {token.key for token in read_sentence(before.text)}
        if is_row(self.statement.text):
            known |= self.keys
        return frozenset(known | {NOMINALS[key] for key in known if key in NOMINALS})

    @cached_property
    def _references(self) -> References:
        titles = title_names(self._title)
        others = self._mentions.turns_to_others(self._number)
        return References(titles, self.topic, self._mentions.shared_names, others)

    @cached_property
    def _frames(self) -> tuple[tuple[Frame, ...], ...]:
        if is_row(self.statement.text):
            return tuple(normal_frames(read_frames(one)) for one in self._sentences())
        found: dict[tuple[Frame, ...], None] = {}
        meant = list(self._meant())
        for whole in dict.fromkeys((self.tokens, self.named)):
            for sentence in _asserted(without_brackets(whole)):
                for reading in evidence_readings(sentence):
                    frames = read_frames(reading)
                    for known in ((), *meant):
                        found[normal_frames(resolved(frames, known))] = None
                    found[normal_frames(frames)] = None
        return tuple(filter(None, found))

    def _meant(self) -> Iterator[tuple[Tokens, ...]]:
        """What a pronoun may refer to: what the statement before is about, or the title."""
        if (about := self._about()) is not None:
            yield (about,)
        if not self._mentions.is_about_person and self._continues_title():
            yield from ((name,) for name in self._references.titles)

    def _continues_title(self) -> bool:
        """Whether the statements before are about the title, up to the last of them."""
        place = self._place
        for _ in range(MAX_PRONOUN_CHAIN):
            before = self._before(place)
            if before is None or is_row(before.text):
                return False
            tokens = read_sentence(before.text)
            about = subject(tokens)
            if not tokens or names_others(tokens):
                return False
            if about is not None:
                return self._references.is_title(about)
            if tokens[0].key not in PRONOUNS:
                return False
            place -= 1
        return False

    @cached_property
    def _readings(self) -> tuple[EvidenceReading, ...]:
        whole = self._sentences()
        found = {
            reading: None
            for sentence in whole
            for assertion in _asserted(sentence)
            for reading in readings(assertion)
        }
        return tuple(map(EvidenceReading, found))

    def _sentences(self) -> Iterator[Tokens]:
        text = self.statement.text
        if is_row(text):
            yield from read_row(text, self._header())
            return
        tokens = read_sentence(text)
        if not tokens:
            return
        yield tokens
        if self.named != tokens:
            yield self.named
        if (resolved := resolve(tokens, self._about())) is not None:
            yield resolved
        for meant in self._candidates_for_pronouns():
            if (named := with_nouns(tokens, meant)) is not None:
                yield named
        yield from _labelled(tokens)
        yield from _born(self.named)

    def _candidates_for_pronouns(self) -> Iterator[Tokens]:
        """The nouns that pronouns may stand for, each once."""
        if not any(token.key in REFERRING for token in self.tokens):
            return
        yield from dict.fromkeys(one for known in self._meant() for one in known)

    def _header(self) -> str | None:
        """The names of the columns; none for a single row, nothing for the header itself."""
        header = header_of(self._statements, self._place)
        if header is not None:
            return header.text
        return "" if is_header(self._statements, self._place) else None

    def _about(self) -> Tokens | None:
        """What a pronoun stands for: the subject before, if no other is there, or the topic."""
        before = self._before(self._place)
        if before is None or is_row(before.text):
            return None
        about = antecedent(read_sentence(before.text)) or self._continued_topic()
        of_thing = self.tokens[:1] and self.tokens[0].key in {"it", "its"}
        named = about is not None and self._references.is_title(about)
        # `Duke Albert sent cavalry. It was beaten.`
        return None if of_thing and named and self._mentions.is_about_person else about

    @cached_property
    def topic(self) -> Tokens | None:
        """What the passage is about: the subject of its first sentence."""
        first = self._statements[self._place - self._number]
        return subject(read_sentence(first.text))

    def _continued_topic(self) -> Tokens | None:
        """The topic, if all the statements before are about it, up to the last of them."""
        first = read_sentence(self.statement.text)[:1]
        if self.topic is None or not first or first[0].key not in _OF_THINGS:
            return None
        if not any(map(_is_name, self.topic)):
            # `The pump drives the fan. It is blue.` may speak of either.
            return None
        names = [token.key for token in self.topic]
        place = self._place
        while (before := self._before(place)) is not None:
            tokens = read_sentence(before.text)
            about = subject(tokens)
            if not tokens or names_others(tokens):
                return None
            if about is not None and [token.key for token in about] == names:
                return self.topic
            if tokens[0].key not in PRONOUNS:
                return None
            place -= 1
        return None

    def _before(self, place: int) -> Statement | None:
        if not place or self._statements[place - 1].passage != self.statement.passage:
            return None
        return self._statements[place - 1]


def _asserted(sentence: Tokens) -> dict[Tokens, None]:
    """All that a sentence asserts, whole and without what it says in passing."""
    wholes = assertions(sentence)
    found = dict.fromkeys(wholes)
    for one in wholes:
        found |= dict.fromkeys(cores(one))
    return found


def _without_topic(claim: Tokens, topic: Tokens | None) -> Tokens | None:
    """`In Git, tags are short` without its first words, if the passage is about Git anyway."""
    end = clause_end(claim, 0)
    if topic is None or not 2 <= end < len(claim) - 2 or claim[0].key not in _PLACING:
        return None
    return claim[end + 1 :] if is_in_order(claim[1:end], topic) else None


def _is_name(token: Token) -> bool:
    return token.kind == "code" or (token.definite and token.written[:1].isupper())


def _labelled(tokens: Tokens) -> Iterator[Tokens]:
    for place in range(1, min(MAX_LABEL_WORDS + 1, len(tokens) - 1)):
        if tokens[place].is_mark:
            label, value = tokens[:place], tokens[place + 1 :]
            if tokens[place].key == ":" and not has_verb(label):
                # `Steady amber: the roll is empty.`
                told = (_MEAN, _THAT) if has_verb(value) else (_BE,)
                yield (*label, *told, *value)
            return


def _born(tokens: Tokens) -> Iterator[Tokens]:
    """`Ada Orrin (born 1911 in Velm) was …` says when and where she was born."""
    opening = next((at for at, token in enumerate(tokens) if token.key == "("), len(tokens))
    closing = next((at for at, token in enumerate(tokens) if token.key == ")"), 0)
    inside = tokens[opening + 1 : closing]
    if not opening or len(inside) < 2 or inside[0].key != _BORN or inside[1].kind != "figure":
        return
    date, place = inside[1], inside[2:]
    on = Token("on" if date.key.count("-") > 1 else "in")
    yield (*tokens[:opening], _BE, inside[0], on, date, *place)
    yield (*tokens[:opening], _BE, inside[0], *place, on, date)


def claim_frames(claim: Tokens) -> Iterator[tuple[Frame, ...]]:
    """The frames of a claim, with pronouns and with nouns for them."""
    if any(token.key == "so" for token in claim):
        # Frames say that both happened, not that one is the reason.
        return
    for reading in evidence_readings(claim):
        frames = read_frames(reading)
        versions = (normal_frames(frames), normal_frames(resolved(frames)))
        yield from (version for version in dict.fromkeys(versions) if version)
