"""What can be wrong with a request itself: its key, its type, one of its fields."""

from sourcebook.core.errors import InvalidInput, SourcebookError


class Unauthorized(SourcebookError):
    """The admin key, or the API key, is missing or wrong."""

    code = "unauthorized"


class TooManyFailures(SourcebookError):
    """Too many wrong keys came from that client."""

    code = "rate_limited"


class NotJson(SourcebookError):
    """The body is not declared as JSON."""

    code = "unsupported_media_type"


class InvalidField(InvalidInput):
    """One field cannot be used; dialects that can name it beside the message."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
