"""Serves the app under a path prefix, as a proxy publishes it.

Some proxies take the prefix off before they pass a request on, others do not; both work. Inside,
paths have no prefix, and `root_path` says what links must begin with.
"""

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from sourcebook.core.errors import ConfigurationError


class RootPath:
    """Takes the prefix off the path, where it still is, and notes it for links."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app = app
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and self._root_path:
            path = without_prefix(scope["path"], self._root_path)
            # The router takes the prefix off once more, where it is still there. A path that has it
            # twice is nothing: a proxy that blocks /prefix/metrics would let it pass.
            has_it_twice = path != scope["path"] and without_prefix(path, self._root_path) != path
            root_path = "" if has_it_twice else self._root_path
            scope = {**scope, "root_path": root_path, "path": path}
        await self._app(scope, receive, send)


def without_prefix(path: str, prefix: str) -> str:
    """Return the path below the prefix; a path that is not below it stays as it is."""
    if path == prefix:
        return "/"
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path


def check_root_path(root_path: str, paths: Iterable[str]) -> None:
    """Refuse a prefix that begins like a route: nobody could tell which of them was meant."""
    first = _first_segment(root_path)
    taken = sorted({_first_segment(path) for path in paths} - {""})
    if first in taken:
        raise ConfigurationError(
            f"SOURCEBOOK_ROOT_PATH {root_path!r} begins like routes of the service, so a request to"
            f" /{first} could mean either. Choose another prefix, such as /sourcebook, that begins"
            f" with none of: {', '.join(taken)}"
        )


def _first_segment(path: str) -> str:
    return path.strip("/").partition("/")[0]
