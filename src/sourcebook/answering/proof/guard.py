"""What must hold of a sentence in other words: what it says of figures, names and denials is cited.

It knows nothing of the rest: a sentence that passes may still say who did what to whom wrongly.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from sourcebook.answering.proof.languages import is_english
from sourcebook.answering.proof.lexemes import read_lexemes
from sourcebook.answering.proof.tokens import read_tokens
from sourcebook.answering.url_allow_list import urls_are_quoted
from sourcebook.search.words import content_words, language_of


def lacking(claim: str, statement: str, context: str = "") -> str | None:
    """Return what keeps a claim from standing on a statement; None if nothing does.

    The `context` is the statement's lead, heading and title: names and figures may be from there.
    """
    if not urls_are_quoted(claim, [statement, context]):
        return "address"
    said, cited = read_tokens(claim, of_claim=True), read_tokens(statement)
    known = {token.key for token in (*cited, *read_tokens(context))}
    for kind in ("figure", "code"):
        if any(token.key not in known for token in said if token.kind == kind):
            return kind
    if not _names(claim) <= _written(f"{statement} {context}"):
        return "name"
    kinds = _kinds(language_of(statement))
    if not kinds or not is_english(claim):
        return "language"
    ours, theirs = ({kinds[one.key] for one in some if one.key in kinds} for some in (said, cited))
    return next(iter(sorted(ours ^ theirs)), None)


def _names(claim: str) -> set[str]:
    """The words that are written large inside of a sentence."""
    words = [one.text for one in read_lexemes(claim) if one.kind == "word"]
    return {_stem(word) for word in words[1:] if word[:1].isupper() and content_words(word)}


def _written(text: str) -> set[str]:
    return {_stem(one.text) for one in read_lexemes(text)}


def _stem(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("s")


@cache
def _kinds(language: str) -> Mapping[str, str]:
    """What the small words of a language do; none of them in one that has no file."""
    file = files(__package__).joinpath("words", f"{language}.txt")
    if not file.is_file():
        return {}
    return {
        word: kind
        for kind, _, words in (line.partition(":") for line in _lines(file.read_text("utf-8")))
        for word in words.split()
    }


def _lines(text: str) -> Iterable[str]:
    return (line for line in text.splitlines() if line and not line.startswith("#"))
