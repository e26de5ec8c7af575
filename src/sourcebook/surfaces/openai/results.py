"""Maps answers to chat completions."""

import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from fastapi import Request

from sourcebook.answering.answer_events import AnswerGatherer
from sourcebook.core.answers import Answer, AnswerEvent, AnswerFacts, Question
from sourcebook.core.errors import AgentUnavailable
from sourcebook.surfaces.links import Links, links_of
from sourcebook.surfaces.openai import schemas
from sourcebook.surfaces.openai.citations import annotations, cited_out, cited_sources, source_list
from sourcebook.surfaces.use_cases import UseCases

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """What a reply needs to know besides the answer.

    `lists_sources` is whether the text ends with a list of them. `kept` is the book whose pages
    need no name in their addresses, if there is one.
    """

    model: str
    question: Question
    links: Links
    kept: str | None
    lists_sources: bool
    created: int = field(default_factory=lambda: int(time.time()))

    def usage(self, text: str) -> schemas.UsageOut:
        asked = len(self.question.text) + sum(
            len(turn.question) + len(turn.answer) for turn in self.question.earlier
        )
        prompt, completion = tokens_in(asked), tokens_in(len(text))
        return schemas.UsageOut(
            prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion
        )


async def reply_context(
    request: Request, model: str, question: Question, use: UseCases
) -> ReplyContext:
    """Return what a reply needs to know besides the answer."""
    return ReplyContext(
        model=model,
        question=question,
        links=await links_of(request),
        kept=await use.default_books.only_id(),
        lists_sources=bool(request.app.state.lists_sources),
    )


async def whole_answer(events: AsyncIterator[AnswerEvent]) -> Answer:
    """Gather the events of an answer."""
    gatherer = AnswerGatherer()
    async for event in events:
        if (answer := gatherer.add(event)) is not None:
            return answer
    raise AgentUnavailable("The answer broke off; try again in a moment")


def completion_out(answer: Answer, context: ReplyContext) -> schemas.ChatCompletionOut:
    """Map a whole answer."""
    sources = cited_sources(answer.citations, context.links, context.kept)
    listed = source_list(sources) if context.lists_sources else ""
    message = schemas.AssistantMessageOut(
        content=answer.text + listed, annotations=annotations(answer.text, sources)
    )
    choice = schemas.ChoiceOut(message=message, finish_reason=finish_reason(answer.facts))
    return schemas.ChatCompletionOut(
        **dict(cited_out(sources, answer.facts)),
        id=new_id("chatcmpl"),
        created=context.created,
        model=context.model,
        choices=[choice],
        usage=context.usage(answer.text),
    )


def finish_reason(facts: AnswerFacts) -> schemas.FinishReason:
    return "length" if facts.cut_off else "stop"


def new_id(kind: str) -> str:
    return f"{kind}-{uuid.uuid4().hex}"


def tokens_in(characters: int) -> int:
    """Estimate: the number is for clients that show one."""
    return -(-characters // CHARACTERS_PER_TOKEN)
