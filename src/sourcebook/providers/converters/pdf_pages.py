"""Draws pages of PDFs."""

from liteparse import LiteParse, ParseError

from sourcebook.core.errors import BookUnreadable

# Sharp enough to read; a larger page, like a plan, is drawn smaller.
MAX_DPI = 110.0
MAX_SIDE_PIXELS = 1_600
_POINTS_PER_INCH = 72


def draw(content: bytes, page: int) -> bytes:
    """Return a page as PNG; BookUnreadable if there is no such page, or it cannot be drawn."""
    try:
        # Its size is known only once it was read.
        sizes = [max(found.width, found.height) for found in _parser(page).parse(content).pages]
        if not sizes:
            raise BookUnreadable(f"It has no page {page}")
        dpi = min(MAX_DPI, MAX_SIDE_PIXELS * _POINTS_PER_INCH / max(1.0, sizes[0]))
        (picture,) = _parser(page, dpi).parse(content).screenshots
    except ParseError:
        raise BookUnreadable(f"Its page {page} cannot be drawn: the file is damaged") from None
    return bytes(picture.image_bytes)


def _parser(page: int, dpi: float | None = None) -> LiteParse:
    """Return what reads one page, and draws it if the resolution is given."""
    return LiteParse(
        ocr_enabled=False,
        quiet=True,
        num_workers=1,
        image_mode="off",
        extract_links=False,
        target_pages=str(page),
        extract_screenshots=dpi is not None,
        dpi=dpi,
    )
