"""`sourcebook ask`: answers a question from the books, with the sources under the answer."""

import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.exit_codes import NO
from sourcebook.cli.options import (
    BookId,
    Config,
    DataDir,
    EmbeddingsConfig,
    Json,
    Llm,
    settings_from,
)
from sourcebook.cli.terminal import (
    answering_a_question,
    err,
    nothing_indexed,
    out,
    strip_controls,
)
from sourcebook.core.errors import InvalidInput, NotFound, SourcebookError
from sourcebook.core.lesson_links import is_room_link
from sourcebook.core.text import is_blank

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.chat.schemas import ChatIn, ChatMetadataOut, ChatOut
    from sourcebook.surfaces.use_cases import UseCases

STANDARD_INPUT = "-"
NEW_SESSION = "new"
# No UTF-8 character is longer.
MAX_BYTES_PER_CHARACTER = 4


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    selection: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Answer from this text alone; - reads it from standard input."
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Go on with a conversation (a UUID); new begins one."),
    ] = None,
    tier: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Your hardware tier: nothing above it is read."),
    ] = None,
    top_k: Annotated[
        int, typer.Option(min=1, max=20, help="How many chunks to consider at most.")
    ] = 5,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Search this collection instead of the books; can be repeated."
        ),
    ] = None,
    book: BookId = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    llm: Llm = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Answer a question from your books. Exit code 1 if they do not, 2 if something fails."""
    import asyncio

    with answering_a_question():
        settings = settings_from(
            config,
            # What goes wrong on the way is told in words, under the answer or instead of it.
            log_level="error",
            data_dir=data_dir,
            embeddings_config=embeddings_config,
            llm=llm,
        )
        request = build_request(
            question,
            selection=selection,
            session=session,
            tier=tier,
            top_k=top_k,
            book=book,
            collections=collection,
        )
        if selection is None:
            require_data(settings)
        is_new = session == NEW_SESSION
        answered = asyncio.run(_ask(settings, request, selection, is_new=is_new, as_json=as_json))
    if not answered:
        raise typer.Exit(NO)


def build_request(
    question: str,
    *,
    selection: str | None = None,
    session: str | None = None,
    tier: int | None = None,
    top_k: int = 5,
    book: str | None = None,
    collections: Sequence[str] | None = None,
) -> "ChatIn":
    """Build the request from what was typed; InvalidInput if it is not valid."""
    from sourcebook.cli.book_jobs import validated
    from sourcebook.surfaces.chat.schemas import ChatIn

    fields = {
        "query": question,
        "session_id": str(uuid.uuid4()) if session == NEW_SESSION else session,
        "top_k": top_k,
        "book_id": book,
        "hardware_tier": tier,
        "collections": list(collections) if collections else None,
    }
    if selection is not None:
        fields |= {"mode": "selected_text", "selected_text": _read_selection(selection)}
    return validated(ChatIn, fields)


async def _ask(
    settings: "Settings",
    request: "ChatIn",
    selection: str | None,
    *,
    is_new: bool,
    as_json: bool,
) -> bool:
    from sourcebook.cli.opening import opened

    if is_new:
        # Printed inside the event loop: from here on Ctrl-C ends the command without a message.
        err.print(f"A new conversation; go on with --session {request.session_id}")
    async with opened(settings, "read") as use:
        named = request.book_id if selection is None and request.collections is None else None
        if named is not None:
            await _require_book(use, named)
        if as_json:
            reply = await _answer(use, request)
            print(reply.model_dump_json(exclude_unset=True))
            return reply.metadata.answered
        try:
            facts = await _show_answer(use, request, selection)
        except SourcebookError:
            await _show_model_trouble(use)
            raise
        if facts.corrected_question is not None:
            err.print(f"Showing results for: {strip_controls(facts.corrected_question)}")
        for remark in remarks_on(facts):
            err.print(remark)
        if facts.fallback is not None:
            await _show_model_trouble(use)
        if facts.closest:
            err.print(closest_line(facts))
        if not facts.answered:
            await _hint_at_remedy(use, request, facts)
    return facts.answered


async def _require_book(use: "UseCases", book_id: str) -> None:
    """NotFound if nothing is indexed of a book: that it says nothing would be no answer."""
    from sourcebook.cli.book_jobs import has_open_job

    if not (await use.books.statistics(book_id)).chunks:
        open_job = await has_open_job(use, book_id)
        raise NotFound(nothing_indexed(book_id, has_open_job=open_job))


async def _answer(use: "UseCases", request: "ChatIn") -> "ChatOut":
    """Return the whole answer."""
    from sourcebook.surfaces.cancellation import Deadline, answer_deadline
    from sourcebook.surfaces.chat.parsing import parse_question
    from sourcebook.surfaces.chat.results import answer_out

    question, deadline = parse_question(request), Deadline.after(use.sessions.timeout_s)
    async with answer_deadline(deadline):
        return await answer_out(question, await use.sessions.ask(question, deadline.at_s))


async def _show_answer(
    use: "UseCases", request: "ChatIn", selection: str | None
) -> "ChatMetadataOut":
    """Print the answer while it arrives; return its metadata."""
    from sourcebook.cli.answers import AnswerText, show_sources
    from sourcebook.surfaces.cancellation import Deadline, answer_deadline
    from sourcebook.surfaces.chat.parsing import parse_question
    from sourcebook.surfaces.chat.results import Unfinished, event_out
    from sourcebook.surfaces.chat.schemas import ChunkEvent, DoneEvent, SourcesEvent

    place = "standard input" if selection == STANDARD_INPUT else selection
    names_books = request.book_id is None and len(await use.default_books.ids()) > 1
    text = AnswerText(out)
    deadline = Deadline.after(use.sessions.timeout_s)
    with ExitStack() as waiting:
        waiting.enter_context(err.status("Looking it up …"))
        try:
            async with answer_deadline(deadline):
                async for event in await use.sessions.ask(parse_question(request), deadline.at_s):
                    match event_out(event):
                        case ChunkEvent(content=content):
                            waiting.close()
                            text.write(content)
                        case SourcesEvent(sources=sources):
                            text.end()
                            show_sources(
                                sources,
                                out,
                                question=request.query,
                                selection=place,
                                names_books=names_books,
                            )
                        case DoneEvent(metadata=metadata):
                            return metadata
        finally:
            text.end()
    raise Unfinished


async def _show_model_trouble(use: "UseCases") -> None:
    """Print what is wrong with the language model, if anything: replies do not tell readers."""
    model = (await use.monitor.report())["gemini"]
    if model.status != "up":
        err.print(strip_controls(f"The language model is {model.status}: {model.message}"))


async def _hint_at_remedy(use: "UseCases", request: "ChatIn", facts: "ChatMetadataOut") -> None:
    """Print one line, if anything can be done about a refusal."""
    from sourcebook.cli.book_jobs import has_open_job

    if request.mode == "selected_text":
        err.print("Ask without --selection to search the whole book")
    elif request.collections is not None:
        err.print(f"Searched: {', '.join(facts.collections) or 'nothing'}")
    elif not facts.chunks_retrieved:
        books = (request.book_id,) if request.book_id else await use.default_books.ids()
        if not (await use.books.statistics_of(books)).chunks:
            open_job = await has_open_job(use, books[0])
            err.print(nothing_indexed(books[0], has_open_job=open_job))


def closest_line(facts: "ChatMetadataOut") -> str:
    """Where to look after a refusal, in one line; with addresses, if the book has a website."""
    places = []
    for one in facts.closest:
        name = " > ".join(dict.fromkeys(part for part in (one.title, one.heading) if part))
        places.append(name if is_room_link(one.url) else f"{name} ({one.url})")
    return f"Closest: {'; '.join(places)}"


def remarks_on(facts: "ChatMetadataOut") -> Iterator[str]:
    """What a reader should know about an answer besides what it says."""
    if facts.warning is not None:
        yield facts.warning
    if facts.cut_off:
        yield (
            "The answer is cut off: the model was not done in time (SOURCEBOOK_CHAT_TIMEOUT_S),"
            " or not within its limit of tokens"
        )
    if facts.history == "unavailable":
        yield "The conversation cannot be read and kept now: this answer stands alone"


def _read_selection(name: str) -> str:
    """Return the text of a selection unchanged; InvalidInput if it cannot be one."""
    from sourcebook.surfaces.chat.schemas import MAX_SELECTION_LENGTH

    max_bytes = MAX_SELECTION_LENGTH * MAX_BYTES_PER_CHARACTER
    try:
        content = _read_bytes(name, max_bytes + 1)
    except OSError as error:
        raise InvalidInput(f"The selection {name!r} cannot be read: {error.strerror}") from None
    too_long = InvalidInput(
        f"The selection {name!r} is too long: {MAX_SELECTION_LENGTH} characters at most;"
        " please shorten it"
    )
    if len(content) > max_bytes:
        raise too_long
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"The selection {name!r} is not UTF-8 text") from None
    if len(text) > MAX_SELECTION_LENGTH:
        raise too_long
    if is_blank(text):
        raise InvalidInput(f"The selection {name!r} is empty")
    return text


def _read_bytes(name: str, max_bytes: int) -> bytes:
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read(max_bytes)
    with Path(name).open("rb") as file:
        return file.read(max_bytes)
