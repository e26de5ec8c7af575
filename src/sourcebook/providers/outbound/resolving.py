"""Finding the addresses of a host, as the system knows them."""

import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from sourcebook.providers.daemon_thread import in_daemon_thread

# Host, port and the seconds that it may take.
Resolve: TypeAlias = Callable[[str, int, float], Awaitable[Sequence[str]]]


async def resolve_by_system(host: str, port: int, timeout_s: float) -> Sequence[str]:
    """Ask the system once. OSError if there is no such host, TimeoutError if nobody says."""

    def look_up() -> Sequence[str]:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError as error:
            raise socket.gaierror(socket.EAI_NONAME, "not a host name") from error
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    # A lookup cannot be called off; it must not keep a thread that others wait for.
    return await in_daemon_thread(look_up, timeout_s)
