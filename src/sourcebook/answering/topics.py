"""What a conversation is about now: by a language model if there is one, else by rules."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.answering.topic_reply import LONGEST_REPLY, TopicStatus, cut, one_line, read_topic
from sourcebook.answering.topic_request import Remark, topic_request
from sourcebook.core.errors import SourcebookError
from sourcebook.core.ports import LanguageModel
from sourcebook.core.shortening import shortened
from sourcebook.search.query_text import normalise
from sourcebook.search.topic import Said, leans_on_earlier, topic_of

log = logging.getLogger(__name__)

Method: TypeAlias = Literal["llm", "deterministic"]

TOPIC_S = 5.0
LONGEST_SUMMARY = 80
# As long as a topic that clients send back may be.
LONGEST_TEXT = 8_000
# Of a message that stands for its topic.
FIRST_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic after a message, a short form of it, and whether the message goes on with it."""

    text: str
    status: TopicStatus
    summary: str
    method: Method

    @property
    def normalised(self) -> str:
        """As follow-ups are searched with it."""
        return normalise(self.text)


class Topics:
    """Finds topics. What a model says is data, and it may be away: the rules always answer."""

    def __init__(
        self, language_model: LanguageModel | None = None, *, within_s: float = TOPIC_S
    ) -> None:
        self._language_model = language_model
        self._within_s = within_s

    @property
    def asks_a_model(self) -> bool:
        """Whether a topic costs a call of a language model."""
        return self._language_model is not None

    async def find(self, earlier: Sequence[Remark], message: str, current: str) -> Topic:
        """The topic of a message, after what was said and under the topic so far."""
        if self._language_model is not None:
            found = await self._asked(self._language_model, earlier, message, current)
            if found is not None:
                return found
        return _by_rules(earlier, message, current)

    async def _asked(
        self, model: LanguageModel, earlier: Sequence[Remark], message: str, current: str
    ) -> Topic | None:
        prompt = topic_request(earlier, message, current)
        said = ""
        try:
            async with (
                asyncio.timeout(self._within_s),
                aclosing(model.reply(prompt, within_s=self._within_s)) as pieces,
            ):
                async for piece in pieces:
                    said += piece
                    if len(said) > LONGEST_REPLY:
                        break
        except (TimeoutError, SourcebookError):
            log.warning("topic_model_failed", exc_info=True)
            return None
        read = read_topic(said[:LONGEST_REPLY])
        if read is None:
            log.warning("topic_reply_unreadable")
            return None
        text = read.summary or cut(one_line(current)) or one_line(message)[:FIRST_CHARACTERS]
        is_first = not earlier and not current.strip()
        return Topic(text, "new_topic" if is_first else read.status, text, "llm")


def _by_rules(earlier: Sequence[Remark], message: str, current: str) -> Topic:
    questions = [remark.text for remark in earlier if remark.speaker == "user"]
    if current.strip():
        questions.insert(0, current)
    said = [Said(question, "") for question in questions]
    text = one_line(topic_of(said, message) or message)[:LONGEST_TEXT].rstrip()
    status: TopicStatus = "continuation" if said and leans_on_earlier(message) else "new_topic"
    return Topic(text, status, shortened(text, LONGEST_SUMMARY), "deterministic")
