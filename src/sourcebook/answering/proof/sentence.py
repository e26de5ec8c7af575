"""A sentence as proof reads it: tokens, or nothing where it cannot be read."""

from functools import lru_cache

from sourcebook.answering.proof.languages import is_english
from sourcebook.answering.proof.normal_form import normal
from sourcebook.answering.proof.tokens import Tokens, read_tokens

# A longer sentence is hardly ever said in other words, and there are too many ways to read it.
MAX_TOKENS = 80
_MARKDOWN = str.maketrans("", "", '*`"“”„«»')


@lru_cache(maxsize=8_192)
def read_sentence(text: str, *, of_claim: bool = False) -> Tokens:
    """Its tokens with the sign of an order; none for a question or another language."""
    tokens = read_phrase(text, of_claim=of_claim)
    return normal(tokens, text) if len(tokens) <= MAX_TOKENS else ()


def read_phrase(text: str, *, of_claim: bool = False) -> Tokens:
    """The tokens of a sentence or a part of one, without marks at either end."""
    tokens = read_tokens(text, of_claim=of_claim)
    if not is_english(text) or any(token.is_mark and token.key == "?" for token in tokens):
        return ()
    start, end = 0, len(tokens)
    while start < end and tokens[start].is_mark:
        start += 1
    while end > start and tokens[end - 1].is_mark and tokens[end - 1].key != ")":
        end -= 1
    return tokens[start:end]


def plain_text(text: str) -> str:
    """A sentence for comparison word for word, without what markdown and a full stop add."""
    plain = " ".join(text.translate(_MARKDOWN).split()).rstrip(".!。…").strip()
    # Only its first letter: `4 Tb` is not `4 TB`.
    return plain[:1].casefold() + plain[1:]
