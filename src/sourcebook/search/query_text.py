"""Chooses the text to search with: the raw message, or the topic of the conversation."""

import logging
from dataclasses import dataclass
from typing import Literal, TypeAlias

log = logging.getLogger(__name__)

Strategy: TypeAlias = Literal["first message (raw query)", "follow-up (contextualized topic)"]

FIRST: Strategy = "first message (raw query)"
FOLLOW_UP: Strategy = "follow-up (contextualized topic)"


@dataclass(frozen=True, slots=True)
class QueryText:
    """The text to embed, and how it was chosen."""

    text: str
    strategy: Strategy


def choose_query_text(user_message: str, current_topic: str, topic: str = "") -> QueryText:
    """Without a current topic the raw message; otherwise the topic, which carries the subject.

    `topic` is the topic after this message; while none was found the current one stands.
    """
    strategy = strategy_for(current_topic)
    if strategy == FIRST:
        chosen = QueryText(user_message, FIRST)
    else:
        chosen = QueryText(normalise(topic) or normalise(current_topic), FOLLOW_UP)
    log.info("Query strategy: %s", chosen.strategy)
    return chosen


def strategy_for(current_topic: str) -> Strategy:
    """How the next text will be chosen."""
    return FOLLOW_UP if current_topic.strip() else FIRST


def normalise(topic: str) -> str:
    """One space between words, none around them, lower case."""
    return " ".join(topic.split()).lower()
