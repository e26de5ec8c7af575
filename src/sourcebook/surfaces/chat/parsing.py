"""Parses questions of the chat contract."""

from sourcebook.core.answers import PageHint, Question, SourceField
from sourcebook.core.text import check_text, is_blank
from sourcebook.surfaces.chat.schemas import MAX_SELECTION_LENGTH, ChatIn, FiltersIn
from sourcebook.surfaces.request_errors import InvalidField

SELECTION = "selected_text"


def parse_question(body: ChatIn) -> Question:
    """Parse a question; InvalidField if its selection cannot be used."""
    return Question(
        text=body.query,
        session_id=body.session_id,
        selection=_selection(body.selected_text) if body.mode == SELECTION else None,
        top_k=body.top_k,
        least_score=body.score_threshold,
        sources=_sources(body.filters),
        book_ids=None if body.book_id is None else (body.book_id,),
        hardware_tier=body.hardware_tier,
        collections=None if body.collections is None else tuple(body.collections),
        search_mode=body.search_mode,
        page=None if body.page is None else PageHint(body.page.url, body.page.title),
        progress=body.progress,
        grounding=body.grounding,
    )


def _selection(text: str | None) -> str:
    if text is None or is_blank(text):
        raise InvalidField(
            SELECTION,
            "A selection is required for this mode: send the text that the question is about as"
            " 'selected_text', or ask with mode 'general'",
        )
    if len(text) > MAX_SELECTION_LENGTH:
        raise InvalidField(
            SELECTION,
            f"The selection has {len(text)} characters, {MAX_SELECTION_LENGTH} at most; please"
            " shorten it",
        )
    check_text(text, "selection")
    return text


def _sources(filters: FiltersIn | None) -> dict[SourceField, tuple[str, ...]]:
    if filters is None:
        return {}
    given: dict[SourceField, list[str] | None] = {
        "source_url": filters.source_url,
        "page_title": filters.page_title,
        "section_heading": filters.section_heading,
    }
    return {field: tuple(values) for field, values in given.items() if values is not None}
