"""What a language model said about a topic, read as data: it may be anything."""

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

TopicStatus: TypeAlias = Literal["continuation", "new_topic"]

LONGEST_REPLY = 8_000
LONGEST_TOPIC = 120

# Joiners belong to words of some scripts; every other character of these kinds is not text.
_JOINERS = "\u200c\u200d"
_GENERIC_TEXT = """
general, general topic, general question, general discussion, general conversation,
general inquiry, conversation, discussion, chat, topic, new topic, new_topic, continuation,
current topic, unknown, unknown topic, unclear, none, null, n/a, no topic, miscellaneous, other,
question, user question, user message, follow-up, follow-up question, follow up question, greeting
"""
_GENERIC = frozenset(phrase.strip() for phrase in _GENERIC_TEXT.split(","))


@dataclass(frozen=True, slots=True)
class TopicReply:
    """What the model said; the summary is empty if it says nothing about the topic."""

    status: TopicStatus
    summary: str


def read_topic(said: str) -> TopicReply | None:
    """The topic in a reply; None if there is no JSON object with one."""
    found = _object_in(said)
    if found is None:
        return None
    summary = found.get("topic_summary", found.get("topic"))
    if not isinstance(summary, str):
        return None
    status: TopicStatus = (
        "new_topic" if found.get("topic_status") == "new_topic" else "continuation"
    )
    text = cut(one_line(summary).strip("\"'` "))
    return TopicReply(status, "" if text.rstrip(".").lower() in _GENERIC else text)


def one_line(text: str) -> str:
    """The text with single spaces for line ends, control characters and everything unseen."""
    seen = (" " if _is_unseen(character) else character for character in text)
    return " ".join("".join(seen).split())


def cut(text: str) -> str:
    """No longer than a topic may be, and whole words if there are any."""
    if len(text) <= LONGEST_TOPIC:
        return text
    return text[: LONGEST_TOPIC + 1].rpartition(" ")[0] or text[:LONGEST_TOPIC]


def _object_in(said: str) -> dict[str, object] | None:
    """The first JSON object, whatever stands before and behind it."""
    for opening in re.finditer("{", said):
        try:
            found, _ = json.JSONDecoder().raw_decode(said, opening.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character)[0] == "C" and character not in _JOINERS
