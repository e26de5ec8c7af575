"""Maps answers to OpenAI's responses."""

from collections.abc import Sequence

from sourcebook.core.answers import Answer
from sourcebook.surfaces.openai import responses_schemas as schemas
from sourcebook.surfaces.openai.citations import (
    CitedSource,
    cited_out,
    cited_sources,
    source_list,
    url_citations,
)
from sourcebook.surfaces.openai.results import ReplyContext, new_id


class ResponseIds:
    """The ids of a response and of its two items."""

    def __init__(self) -> None:
        self.response = new_id("resp")
        self.search = new_id("fs")
        self.message = new_id("msg")


def response_out(answer: Answer, context: ReplyContext, ids: ResponseIds) -> schemas.ResponseOut:
    """Map a whole answer."""
    sources = cited_sources(answer.citations, context.links, context.kept)
    listed = source_list(sources) if context.lists_sources else ""
    text = schemas.OutputTextOut(
        text=answer.text + listed, annotations=flat_citations(answer.text, sources)
    )
    status: schemas.Status = "incomplete" if answer.facts.cut_off else "completed"
    message = schemas.OutputMessageOut(id=ids.message, status=status, content=[text])
    usage = context.usage(answer.text)
    return schemas.ResponseOut(
        **dict(cited_out(sources, answer.facts)),
        id=ids.response,
        created_at=context.created,
        status=status,
        incomplete_details=schemas.IncompleteOut() if answer.facts.cut_off else None,
        model=context.model,
        output=[file_search_out(context.question.text, sources, ids), message],
        usage=schemas.ResponseUsageOut(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            total_tokens=usage.total_tokens,
        ),
    )


def flat_citations(text: str, sources: Sequence[CitedSource]) -> list[schemas.FlatCitationOut]:
    return [schemas.FlatCitationOut(**dict(one)) for one in url_citations(text, sources)]


def file_search_out(
    question: str, sources: Sequence[CitedSource], ids: ResponseIds
) -> schemas.FileSearchOut:
    return schemas.FileSearchOut(
        id=ids.search, queries=[question], results=[_found_file(one) for one in sources]
    )


def _found_file(source: CitedSource) -> schemas.FoundFileOut:
    citation = source.citation
    attributes: dict[str, str | float | bool] = {
        "number": citation.number,
        "url": source.url,
        "title": citation.title,
        "heading": citation.heading,
    }
    if citation.start is not None and citation.end is not None:
        attributes |= {"char_start": citation.start, "char_end": citation.end}
    return schemas.FoundFileOut(
        file_id=citation.document_id or citation.chunk_id or source.url,
        filename=citation.file or citation.title,
        score=citation.score,
        text=citation.quote,
        attributes=attributes,
    )
