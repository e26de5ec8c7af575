"""Parses conversations of OpenAI's API into questions."""

import re
from collections.abc import Sequence

from sourcebook.core.answers import Question, Turn
from sourcebook.core.text import is_blank, shorten
from sourcebook.surfaces.api_keys import Grant
from sourcebook.surfaces.openai.book_models import (
    EVERYTHING,
    PREFIX,
    books_of_model,
    model_not_found,
)
from sourcebook.surfaces.openai.citations import without_source_list
from sourcebook.surfaces.openai.schemas import MAX_QUESTION_LENGTH, BoundsIn, MessageIn
from sourcebook.surfaces.request_errors import InvalidField
from sourcebook.surfaces.use_cases import UseCases

_TIER = re.compile(r"[1-4]")


async def parse_question(
    model: str,
    messages: Sequence[MessageIn],
    bounds: BoundsIn | None,
    use: UseCases,
    grant: Grant,
    *,
    field: str = "messages",
) -> Question:
    """The last question of a conversation, bound to what its asker may read.

    InvalidField if there is none, ModelNotFound if there is no such book.
    """
    bounds = bounds or BoundsIn(book=None, tier=None)
    text, earlier = _asked(messages, field)
    return Question(
        text=text,
        book_ids=await _books(model, bounds.book, use, grant),
        default_book_ids=await use.default_books.ids_for(grant.books),
        hardware_tier=grant.tier_within(_tier(bounds.tier)),
        earlier=earlier,
    )


def _asked(messages: Sequence[MessageIn], field: str) -> tuple[str, tuple[Turn, ...]]:
    """The last question, and the turns before it."""
    turns: list[Turn] = []
    for message in messages:
        text = message.text
        if message.role == "user" and not is_blank(text):
            turns.append(Turn(text, ""))
        elif message.role == "assistant" and turns:
            asked, answered = turns[-1].question, turns[-1].answer
            said = "\n".join(filter(None, (answered, without_source_list(text))))
            turns[-1] = Turn(asked, said)
    if not turns:
        raise InvalidField(field, "There is no question: send a message of the role 'user'")
    question = turns[-1].question
    if any("\x00" in turn.question + turn.answer for turn in turns):
        raise InvalidField(field, "A message holds a NUL character, which is not text; remove it")
    if len(question) > MAX_QUESTION_LENGTH:
        raise InvalidField(
            field,
            f"The question has {len(question)} characters, {MAX_QUESTION_LENGTH} at most; please"
            " shorten it",
        )
    return question, tuple(turns[:-1])


async def _books(
    model: str, narrowed: str | None, use: UseCases, grant: Grant
) -> tuple[str, ...] | None:
    if narrowed is None:
        return await books_of_model(model, use, grant)
    if model == EVERYTHING:
        return await books_of_model(PREFIX + narrowed, use, grant)
    if model != PREFIX + narrowed:
        if not model.startswith(PREFIX):
            raise await model_not_found(model, use, grant)
        raise InvalidField(
            "metadata.book",
            f"The model {shorten(model, 80)!r} is another book than {shorten(narrowed, 80)!r};"
            f" leave one of them out, or ask the model {EVERYTHING!r}",
        )
    return await books_of_model(model, use, grant)


def _tier(value: str | int | None) -> int | None:
    if value is None:
        return None
    if not _TIER.fullmatch(str(value)):
        raise InvalidField(
            "metadata.tier", f"The tier must be 1, 2, 3 or 4, got {shorten(str(value), 20)!r}"
        )
    return int(value)
