"""The citations of an answer, in every way that OpenAI's clients read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sourcebook.answering.citations import citation_json
from sourcebook.core.answers import AnswerFacts, Citation
from sourcebook.core.metadata import JsonValue
from sourcebook.surfaces.links import Links
from sourcebook.surfaces.openai import schemas

_LIST_TITLE = "Sources:"
_LIST = re.compile(rf"\n\n{_LIST_TITLE}\n(?:- \[\d+\] .*(?:\n|\Z))+\s*\Z")
_LINK_MARKS = re.compile(r"([\[\]\\])")
_ADDRESS_MARKS: Mapping[str, str] = {"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E"}


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A citation with an absolute address; `title` names the page and the heading."""

    citation: Citation
    url: str

    @property
    def title(self) -> str:
        parts = (self.citation.title, self.citation.heading)
        return " › ".join(dict.fromkeys(part for part in parts if part)) or self.url


def cited_sources(
    citations: Sequence[Citation], links: Links, kept: str | None
) -> list[CitedSource]:
    """The citations by number, with absolute addresses."""
    return [CitedSource(one, links.citation(one, kept)) for one in citations]


def source_list(sources: Sequence[CitedSource]) -> str:
    """A short list for clients that show nothing but the text; "" without sources."""
    if not sources:
        return ""
    lines = [f"- [{one.citation.number}] [{_label(one.title)}]({_target(one)})" for one in sources]
    return "\n\n" + "\n".join([_LIST_TITLE, *lines])


def without_source_list(text: str) -> str:
    """An answer as it was before its sources were listed."""
    return _LIST.sub("", text)


def url_citations(text: str, sources: Sequence[CitedSource]) -> list[schemas.UrlCitationOut]:
    """One for each source, at the first place where the text cites it."""
    return [
        schemas.UrlCitationOut(url=one.url, title=one.title, start_index=start, end_index=end)
        for one in sources
        for start, end in [_place(text, f"[{one.citation.number}]")]
    ]


def annotations(text: str, sources: Sequence[CitedSource]) -> list[schemas.AnnotationOut]:
    """The citations as chat completions nest them."""
    return [schemas.AnnotationOut(url_citation=one) for one in url_citations(text, sources)]


def cited_out(sources: Sequence[CitedSource], facts: AnswerFacts) -> schemas.CitedOut:
    """The citations beside the choices."""
    return schemas.CitedOut(
        citations=[one.url for one in sources],
        search_results=[
            schemas.SearchResultOut(title=one.title, url=one.url, snippet=_quote(one.citation))
            for one in sources
        ],
        sourcebook=schemas.SourcebookOut(
            answered=facts.answered,
            cut_off=facts.cut_off,
            model=facts.model,
            collections=list(facts.collections),
            sources=[_source(one) for one in sources],
        ),
    )


def _source(one: CitedSource) -> dict[str, JsonValue]:
    return {**citation_json(one.citation), "url": one.url}


def _quote(citation: Citation) -> str:
    return citation.plain or citation.quote


def _place(text: str, marker: str) -> tuple[int, int]:
    start = text.find(marker)
    # A source that the text does not name stands for all of it.
    return (0, len(text)) if start < 0 else (start, start + len(marker))


def _label(title: str) -> str:
    return _LINK_MARKS.sub(r"\\\1", " ".join(title.split()))


def _target(source: CitedSource) -> str:
    return "".join(_ADDRESS_MARKS.get(character, character) for character in source.url)
