"""Chooses what to search with: the raw message, or the topic of the conversation."""

import logging
from dataclasses import dataclass
from typing import Literal, TypeAlias

log = logging.getLogger(__name__)

Strategy: TypeAlias = Literal["first message (raw query)", "follow-up (contextualized topic)"]

FIRST: Strategy = "first message (raw query)"
FOLLOW_UP: Strategy = "follow-up (contextualized topic)"


@dataclass(frozen=True, slots=True)
class QueryText:
    """The text to embed, and how it was chosen.

    `previous` is the topic before the message if the text carries none of its words: then hits near
    what it finds count more. Carried words and nearness together would count the subject twice
    (decision 0036).
    """

    text: str
    strategy: Strategy
    previous: str = ""


def choose_query_text(user_message: str, current_topic: str, topic: str = "") -> QueryText:
    """Without a current topic the raw message; otherwise the topic, which carries the subject.

    `topic` is the topic after this message; while none was found the current one stands. A message
    that is its own topic is searched as it was typed: `HTTP_PROXY` is another term in lower case.
    """
    strategy = strategy_for(current_topic)
    if strategy == FIRST:
        chosen = QueryText(user_message, FIRST)
    else:
        text = normalise(topic) or normalise(current_topic)
        if text == normalise(user_message):
            chosen = QueryText(user_message, FOLLOW_UP, previous=current_topic)
        else:
            chosen = QueryText(text, FOLLOW_UP)
    log.info("Query strategy: %s", chosen.strategy)
    return chosen


def strategy_for(current_topic: str) -> Strategy:
    """How the next text will be chosen."""
    return FOLLOW_UP if current_topic.strip() else FIRST


def normalise(topic: str) -> str:
    """One space between words, none around them, lower case."""
    return " ".join(topic.split()).lower()
