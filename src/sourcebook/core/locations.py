"""Where the characters of a converted text stand in the file that they come from."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from sourcebook.core.documents import Box, Location, Span
from sourcebook.core.metadata import JsonValue

# As many rectangles show a quote; a longer one is shown by its beginning.
MAX_BOXES = 50
PAGE_ANCHOR = "#page="


def locate(locations: Sequence[Location], span: Span) -> Location | None:
    """Say where a span stands: where it begins, with the boxes of all of it on that page.

    None if nothing is known of it.
    """
    there = [place for place in locations if place.start < span.end and span.start < place.end]
    if not there:
        return None
    first = there[0]
    same_page = (place.boxes for place in there if place.page == first.page)
    return Location(
        max(first.start, span.start),
        min(there[-1].end, span.end),
        first.page,
        tuple(chain.from_iterable(same_page))[:MAX_BOXES],
        first.anchor,
        first.slide,
        first.row,
        first.cell,
    )


def within(locations: Sequence[Location], spans: Iterable[Span]) -> tuple[Location, ...]:
    """Return the locations that one of the spans overlaps; they are in order and do not overlap."""
    ends = [place.end for place in locations]
    found: dict[int, Location] = {}
    for span in spans:
        at = bisect_right(ends, span.start)
        while at < len(locations) and locations[at].start < span.end:
            found[at] = locations[at]
            at += 1
    return tuple(found[at] for at in sorted(found))


def location_fields(place: Location | None) -> dict[str, JsonValue]:
    """Return what is known of a place in a file, by the names that clients read."""
    if place is None:
        return {}
    fields: dict[str, JsonValue] = {
        "page": place.page,
        "boxes": [list(box) for box in place.boxes] or None,
        "anchor": place.anchor,
        "slide": place.slide,
        "row": place.row,
        "cell": place.cell,
    }
    return {name: value for name, value in fields.items() if value is not None}


def url_at(url: str, place: Location | None) -> str:
    """Return the address of a file at a page of it, if that is known: browsers open PDFs there."""
    if place is None or place.page is None:
        return url
    return f"{url.partition('#')[0]}{PAGE_ANCHOR}{place.page}"


def describe_place(fields: Mapping[str, int | None]) -> str:
    """Say where in a file something stands, like `page 3`; empty if that is not known."""
    return next((f"{name} {at}" for name, at in fields.items() if at is not None), "")


def location_json(place: Location) -> dict[str, JsonValue]:
    """Return a location as it is kept."""
    return {"at": [place.start, place.end], **location_fields(place)}


def read_location(kept: Mapping[str, JsonValue]) -> Location:
    """Read a location that was kept; ValueError if it is none."""
    match kept.get("at"):
        case [int(start), int(end)]:
            return Location(
                start,
                end,
                _number(kept.get("page")),
                tuple(_boxes(kept.get("boxes"))),
                _text(kept.get("anchor")),
                _number(kept.get("slide")),
                _number(kept.get("row")),
                _number(kept.get("cell")),
            )
        case other:
            raise ValueError(f"{other!r} is no range of characters")


def read_locations(kept: JsonValue) -> tuple[Location, ...]:
    """Read locations that were kept; none if there are none."""
    places = kept if isinstance(kept, list) else []
    return tuple(read_location(place) for place in places if isinstance(place, dict))


def _boxes(kept: JsonValue) -> Iterator[Box]:
    for box in kept if isinstance(kept, list) else []:
        match box:
            case [(int() | float()) as left, (int() | float()) as top, *size]:
                width, height = (float(side) for side in size if isinstance(side, int | float))
                yield float(left), float(top), width, height
            case other:
                raise ValueError(f"{other!r} is no box")


def _number(value: JsonValue) -> int | None:
    return value if isinstance(value, int) else None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
