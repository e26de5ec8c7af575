"""Parses the `options` of a chat, which have Ollama's names; those of no use here are ignored."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sourcebook.core.errors import InvalidInput
from sourcebook.core.prompts import Sampling
from sourcebook.core.text import check_text
from sourcebook.surfaces.rag_v3.fields import read_number
from sourcebook.surfaces.request_errors import InvalidField

Options: TypeAlias = Mapping[str, object]

# As many as OpenAI's API takes.
MAX_STOPS = 4
MAX_STOP_LENGTH = 200
# Beyond this, a number of JSON is not exact.
MAX_SEED = 2**53 - 1
# What Ollama means by no limit.
UNLIMITED = (-1, -2)


def parse_sampling(options: Options) -> Sampling:
    return Sampling(
        top_p=parse_number(options, "top_p", 0, 1),
        presence_penalty=parse_number(options, "presence_penalty", -2, 2),
        frequency_penalty=parse_number(options, "frequency_penalty", -2, 2),
        seed=_seed(options),
        stop=_stop(options),
    )


def parse_number(options: Options, name: str, least: int, most: int) -> float | None:
    given = options.get(name)
    if given is None:
        return None
    number = read_number(given)
    if number is None or not least <= number <= most:
        raise _unusable(name, f"must be a number between {least} and {most}")
    return number


def parse_max_tokens(options: Options, at_most: int) -> int:
    """Return as many as are requested and possible."""
    for name in ("max_tokens", "num_predict"):
        given = options.get(name)
        if given is None:
            continue
        number = read_number(given)
        if number is None or not number.is_integer() or (number < 1 and number not in UNLIMITED):
            raise _unusable(name, "must be a whole number of 1 or more")
        return at_most if number < 0 else min(at_most, int(number))
    return at_most


def _seed(options: Options) -> int | None:
    given = options.get("seed")
    if given is None:
        return None
    number = read_number(given)
    if number is None or not number.is_integer() or abs(number) > MAX_SEED:
        raise _unusable("seed", f"must be a whole number between -{MAX_SEED} and {MAX_SEED}")
    return int(number)


def _stop(options: Options) -> tuple[str, ...]:
    given = options.get("stop")
    if given is None:
        return ()
    stops = _texts([given] if isinstance(given, str) else given)
    if stops is None or len(stops) > MAX_STOPS:
        raise _unusable(
            "stop",
            f"must be a string, or an array of up to {MAX_STOPS}, of 1 to {MAX_STOP_LENGTH}"
            " characters each",
        )
    try:
        check_text("".join(stops), "options.stop")
    except InvalidInput as error:
        raise InvalidField("options.stop", error.message) from None
    return tuple(stops)


def _texts(given: object) -> Sequence[str] | None:
    if not isinstance(given, list):
        return None
    texts = [one for one in given if isinstance(one, str) and 1 <= len(one) <= MAX_STOP_LENGTH]
    return texts if len(texts) == len(given) else None


def _unusable(name: str, words: str) -> InvalidField:
    place = f"options.{name}"
    return InvalidField(place, f"{place} {words}")
