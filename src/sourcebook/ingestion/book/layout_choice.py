"""Chooses the layout of a book: what somebody asks for, what is kept with it, or what fits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sourcebook.core.book_source import Listing
from sourcebook.core.books import KeptLayout
from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.core.jobs import JobRequest
from sourcebook.ingestion.book.layout import AUTOMATIC, FOLDERS, Layout, fitting_layout


@dataclass(frozen=True, slots=True)
class LayoutSettings:
    """What the settings say of a book's files; what they leave out is kept with it, or found."""

    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self.patterns, self.exclude)


@dataclass(frozen=True, slots=True)
class ChosenLayout:
    """The layout of a run; `automatic` if its patterns were found by looking at the files."""

    layout: Layout
    automatic: bool


def check_patterns(request: JobRequest) -> None:
    """Raise InvalidInput for patterns that make no sense."""
    try:
        _check(request.patterns or (), request.exclude or ())
    except ConfigurationError as error:
        raise InvalidInput(error.message) from None


def choose_layout(
    request: JobRequest, settings: LayoutSettings, kept: KeptLayout | None, listing: Listing
) -> ChosenLayout:
    """Choose what the request says, else the settings, else what is kept, else what fits."""
    exclude = _exclude(request, settings, kept, listing)
    patterns, automatic = _patterns(request, settings, kept, listing)
    if patterns == (AUTOMATIC,):
        excluded = Layout((), exclude=exclude)
        paths = (file.path for file in listing.files)
        patterns = (fitting_layout(path for path in paths if not excluded.excludes(path)),)
    return ChosenLayout(Layout(patterns, settings.aliases, exclude), automatic)


def _patterns(
    request: JobRequest, settings: LayoutSettings, kept: KeptLayout | None, listing: Listing
) -> tuple[tuple[str, ...], bool]:
    """Return the patterns, AUTOMATIC if the files decide, and whether nobody chose them."""
    if request.patterns:
        return request.patterns, request.patterns == (AUTOMATIC,)
    if listing.single_file:
        return (FOLDERS,), True  # whoever names a file wants that file
    if settings.patterns:
        return settings.patterns, settings.patterns == (AUTOMATIC,)
    # What was found once holds for its source, so that one new file cannot turn the book around.
    if kept is not None and (not kept.automatic or kept.source == listing.source):
        return kept.patterns, kept.automatic
    return (AUTOMATIC,), True


def _exclude(
    request: JobRequest, settings: LayoutSettings, kept: KeptLayout | None, listing: Listing
) -> tuple[str, ...]:
    if request.exclude is not None:
        return request.exclude
    if listing.single_file:
        return ()
    return settings.exclude or (() if kept is None else kept.exclude)


def _check(patterns: Sequence[str], exclude: Sequence[str]) -> None:
    Layout(() if tuple(patterns) == (AUTOMATIC,) else patterns, exclude=exclude)
