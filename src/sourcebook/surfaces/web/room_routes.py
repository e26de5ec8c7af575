"""Serves the reading room: what it shows first, its files, and the widget for other sites."""

from fastapi import APIRouter, Request, Response
from pydantic import Field

from sourcebook.core.answers import Grounding
from sourcebook.core.errors import NotFound
from sourcebook.core.text import shorten
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.route_classes import JsonRoute
from sourcebook.surfaces.schema_types import WireModel
from sourcebook.surfaces.use_cases import UseCases
from sourcebook.surfaces.web.parameters import ERRORS, BookId
from sourcebook.surfaces.web.room_files import WIDGET, media_type_of, room_files

FOR_EVER = "public, max-age=31536000, immutable"
# Asked for again each time, and answered from the browser's cache while nothing has changed.
CHECKED = "no-cache"
# Whether a page of another origin may use a file is for CORS to say.
FOR_OTHER_SITES = {"Cross-Origin-Resource-Policy": "cross-origin"}
# Beside what every reply forbids: no script can be made out of text, not even by mistake.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'; object-src 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)

routes = APIRouter(tags=["web"], route_class=JsonRoute)


class RoomOut(WireModel):
    """The books that questions are for, and what writes the answers."""

    book_id: str | None = Field(description="The book of this page; null for all of them")
    kept: str | None = Field(description="The book without a name in the address; null for all")
    books: list[str] = Field(
        description="All that can be chosen, the kept one first; only what is asked anyway where"
        " the others are not listed"
    )
    indexed: bool = Field(description="Whether there is any book yet")
    model: str = Field(description="`extractive` without a language model: answers are quotes")
    grounding: Grounding = Field(
        description="`cited` if a model's own words may leave with what they stand on, and a reader"
        " may choose; else `strict`"
    )
    takes_marks: bool = Field(description="Whether readers may mark answers and hits")


class QuestionsOut(WireModel):
    """Questions that the books answer."""

    book_id: str | None
    questions: list[str]


@routes.get("/room", responses=ERRORS)
async def room(request: Request, use: Using, book_id: BookId = None) -> RoomOut:
    """Tell what the page says about the book before anybody asks."""
    await _check_known(use, book_id)
    meant = await use.default_books.ids()
    kept = await use.default_books.only_id()
    others = await use.books.names() if request.app.state.lists_books else ()
    return RoomOut(
        book_id=book_id or kept,
        kept=kept,
        books=[*meant, *(name for name in others if name not in meant)],
        indexed=await use.books.state() is not None,
        model=use.sessions.model,
        grounding=use.sessions.grounding,
        # A mark does not say of which book it is.
        takes_marks=use.feedback.rules.takes_marks and book_id in {None, *meant},
    )


@routes.get("/room/questions", responses=ERRORS)
async def questions(use: Using, book_id: BookId = None) -> QuestionsOut:
    """Suggest a few questions that the books answer; each was tried, by quoting alone."""
    await _check_known(use, book_id)
    asked = (book_id,) if book_id is not None else await use.default_books.ids()
    return QuestionsOut(
        book_id=asked[0] if len(asked) == 1 else None,
        questions=await use.starters.of_several(asked),
    )


async def _check_known(use: UseCases, book_id: str | None) -> None:
    """NotFound if a book was asked for that has no text."""
    if book_id is not None and book_id not in await use.books.names():
        raise NotFound(f"Nothing is indexed of the book {shorten(book_id, 60)!r}")


@routes.get("/room/{revision}/{name}", include_in_schema=False)
async def asset(request: Request, revision: str, name: str) -> Response:
    """Serve a module or a style of the page, compressed for clients that can read that."""
    room = room_files()
    if name not in room.assets:
        raise NotFound(f"There is no file {shorten(name, 60)!r} here")
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {
        # An address of another release leads to what there is now, but is not remembered for it.
        "Cache-Control": FOR_EVER if revision == room.revision else CHECKED,
        "Vary": "Accept-Encoding",
        **({"Content-Encoding": "gzip"} if packed else {}),
        **FOR_OTHER_SITES,
    }
    content = room.compressed[name] if packed else room.assets[name]
    return Response(content, media_type=media_type_of(name), headers=headers)


@routes.get(
    "/widget.js",
    response_class=Response,
    responses={200: {"content": {"text/javascript": {"schema": {"type": "string"}}}}},
)
async def widget() -> Response:
    """Serve what a docs site includes to have the widget; it loads the current release."""
    headers = {"Cache-Control": CHECKED, **FOR_OTHER_SITES}
    loader = room_files().widget_loader()
    return Response(loader, media_type=media_type_of(WIDGET), headers=headers)


def page(request: Request) -> Response:
    """Return the page, with its files under the prefix that the app is published under."""
    html = room_files().page_below(request.scope["root_path"])
    headers = {
        "Cache-Control": CHECKED,
        "Content-Security-Policy": PAGE_POLICY,
        "Vary": "Accept",
    }
    return Response(html, media_type="text/html; charset=utf-8", headers=headers)


def wants_page(accept: str) -> bool:
    """Return whether a client would rather have HTML than JSON, as browsers would."""
    html, json = _quality(accept, "text/html"), _quality(accept, "application/json")
    return html > 0 and html >= json


def _quality(accept: str, media_type: str) -> float:
    """How much a type is wanted, from 0 to 1; 0 unless it is named."""
    for entry in accept.lower().split(","):
        kind, *parameters = (part.strip() for part in entry.split(";"))
        if kind == media_type:
            weights = [one[2:] for one in parameters if one.startswith("q=")]
            try:
                return float(weights[0]) if weights else 1.0
            except ValueError:
                return 0.0
    return 0.0
