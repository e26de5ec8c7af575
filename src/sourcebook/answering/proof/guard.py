"""What must hold of a sentence in other words: what it says of figures, names and denials is cited.

It knows nothing of the rest: a sentence that passes may still say who did what to whom wrongly.
"""

from collections.abc import Iterator, Mapping, Set
from itertools import chain

from sourcebook.answering.proof.lexemes import read_lexemes
from sourcebook.answering.proof.openings import without_opening
from sourcebook.answering.proof.spelling import in_english
from sourcebook.answering.proof.tokens import Token, Tokens, read_tokens
from sourcebook.answering.url_allow_list import urls_are_quoted
from sourcebook.core.stop_words import STOP_WORDS
from sourcebook.text.languages import UNSPACED, language_of, may_be
from sourcebook.text.word_files import joints, kinds_in, words_of

# What a claim may not leave out of a sentence that it takes only a part of.
_LIMITS = frozenset({"condition", "except"})
# What an introduction with a colon says of all that comes after it.
_LEADING = _LIMITS | {"denial"}
# What parts two sentences, and what parts the clauses of one.
_STOPS = frozenset(".;:!?—|…")
_COMMAS = frozenset(",()[]")
# A claim is about a clause if it has more of its words than this share.
MIN_SHARED = 0.25
# Words with the same beginning are forms of one.
STEM_LENGTH = 5
_SMALL = frozenset[str]().union(*STOP_WORDS.values())


def lacking(claim: str, statement: str, context: str = "") -> str | None:
    """Return what keeps a claim from standing on a statement; None if nothing does.

    The `context` is the statement's lead, heading and title: names and figures may be from there.
    """
    if not urls_are_quoted(claim, [statement, context]):
        return "address"
    language = common_language(claim, f"{statement} {context}")
    if not language:
        return "language"
    said = read_tokens(claim, of_claim=True, language=language)
    cited, around = (read_tokens(text, language=language) for text in (statement, context))
    known = {token.key for token in (*cited, *around)}
    for kind in ("figure", "code"):
        if any(token.key not in known for token in said if token.kind == kind):
            return kind
    whole = in_english(f"{statement} {context}", language)
    written = {_form(one.text) for one in read_lexemes(whole)}
    if not written.issuperset(_names(in_english(without_opening(claim, language), language))):
        return "name"
    ours, theirs = (kinds_in(_text(some, language), language) for some in (said, cited))
    wrong = (ours - theirs) | (_needed(said, cited, language) - ours)
    if wrong:
        return min(wrong)
    return "word" if _exchanges_a_word(said, cited) else None


def common_language(claim: str, evidence: str) -> str:
    """The language of both, if its words are known; otherwise nothing."""
    language = language_of(evidence)
    return language if words_of(language) and may_be(claim, language) else ""


def _names(claim: str) -> Iterator[str]:
    """The words that are written large inside of a sentence."""
    words = [one.text for one in read_lexemes(claim) if one.kind == "word"]
    return (_form(word) for word in words[1:] if word[:1].isupper() and word.lower() not in _SMALL)


def _form(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("s")


def _needed(said: Tokens, cited: Tokens, language: str) -> frozenset[str]:
    """What the small words do in the clauses that a claim is about, and what limits those."""
    stems = {_stem(token.key) for token in said}
    needed: frozenset[str] = frozenset()
    for sentence in _parted(cited, _STOPS - {":"}, frozenset()):
        leads: frozenset[str] = frozenset()
        for part in _parted(sentence, frozenset(":"), frozenset()):
            clauses = list(_parted(part, _COMMAS, joints(language)))
            about = [_is_about(stems, clause) for clause in clauses]
            kinds = [kinds_in(_text(clause, language), language) for clause in clauses]
            for kind, is_about in zip(kinds, about, strict=True):
                needed |= kind if is_about else kind & _LIMITS if any(about) else frozenset()
            # `You must not: open the lid` denies the rest.
            needed |= leads if any(about) else frozenset()
            leads |= frozenset(chain.from_iterable(kinds)) & _LEADING
    return needed


def _parted(tokens: Tokens, marks: Set[str], joints: Set[str]) -> Iterator[Tokens]:
    """The parts of a sentence between these marks, and before each of these words."""
    begin = 0
    for place, token in enumerate(tokens):
        if token.key in (marks if token.is_mark else joints):
            yield tokens[begin:place]
            begin = place + token.is_mark
    yield tokens[begin:]


def _is_about(stems: Set[str], clause: Tokens) -> bool:
    """Whether a claim with these stems has enough of a clause's words."""
    own = {_stem(token.key) for token in clause if _says_something(token)}
    return len(own & stems) > MIN_SHARED * len(own)


def _exchanges_a_word(said: Tokens, cited: Tokens) -> bool:
    """Whether a claim has a word where the statement has another one, between the same two words.

    A claim that close to its statement may as well be quoted.
    """
    ours, theirs = _between(said), _between(cited)
    return any(
        not any(_are_forms(one, other) for one in ours[around] for other in theirs[around])
        for around in ours.keys() & theirs.keys()
    )


def _are_forms(one: str, other: str) -> bool:
    """Whether two words are forms of one: `ring` and `rings`; small ones, which are empty, are."""
    return one.startswith(other) or other.startswith(one)


def _between(tokens: Tokens) -> Mapping[tuple[str, str], set[str]]:
    """The words that stand between two others; small ones are empty."""
    words = [token for token in tokens if token.key not in _COMMAS]
    stems = ["", *(_stem(token.key) for token in words), ""]
    found: dict[tuple[str, str], set[str]] = {}
    for place, token in enumerate(words):
        around = stems[place], stems[place + 2]
        if _STOPS.isdisjoint(around):
            found.setdefault(around, set()).add(stems[place + 1] if _says_something(token) else "")
    return found


def _says_something(token: Token) -> bool:
    return not token.is_mark and token.key not in _SMALL


def _stem(word: str) -> str:
    return word.lower()[:STEM_LENGTH]


def _text(tokens: Tokens, language: str) -> str:
    return ("" if language in UNSPACED else " ").join(token.key for token in tokens)
