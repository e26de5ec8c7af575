"""Sets up dulwich's clients: no password prompts, no settings of the user."""

import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import IO, cast
from urllib.parse import urljoin

from dulwich.client import (
    AuthCallbackPoolManager,
    GitClient,
    HttpGitClient,
    LocalGitClient,
    SSHGitClient,
    SSHVendor,
    SubprocessSSHVendor,
    SubprocessWrapper,
    default_urllib3_manager,
)
from dulwich.errors import GitProtocolError
from dulwich.protocol import Protocol
from urllib3 import BaseHTTPResponse, PoolManager
from urllib3.util import parse_url

from sourcebook.providers.sources.git.url import GitUrl

MAX_REDIRECTS = 5

_PORTS = {"http": 80, "https": 443}

_SSH = shlex.join(
    ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=20"]
)


@contextmanager
def connected(url: GitUrl, ssh: "Ssh", timeout_s: float) -> Iterator[tuple[GitClient, str]]:
    """Open the client for this repository; yield it with the path to ask it for."""
    with ExitStack() as stack:
        if url.is_local:
            yield LocalGitClient(), url.path
        elif url.scheme == "ssh":
            client = _SshClient(url.host, url.port, url.username, vendor=ssh, ssh_command=_SSH)
            stack.enter_context(closing(client))
            stack.callback(ssh.kill)
            yield client, url.path
        else:
            # The whole URL is the base, so that no path can be taken for another host.
            address = url.without_credentials
            connections = stack.enter_context(closing(_connections(address, timeout_s)))
            yield HttpGitClient(address, None, connections, None, url.username, url.password), ""


class Ssh(SSHVendor):
    """Runs ssh processes, and can kill them."""

    def __init__(self) -> None:
        self._inner = SubprocessSSHVendor()
        self._killed = False
        self._running: list[subprocess.Popen[bytes]] = []

    def run_command(  # noqa: PLR0917 - as dulwich calls it
        self,
        host: str,
        command: bytes,
        username: str | None = None,
        port: int | None = None,
        password: str | None = None,
        key_filename: str | None = None,
        ssh_command: str | None = None,
        protocol_version: int | None = None,
    ) -> SubprocessWrapper:
        """Start ssh; options that are never used here are not passed on."""
        started = self._inner.run_command(
            host,
            command,
            username=username,
            port=port,
            ssh_command=ssh_command,
            protocol_version=protocol_version,
        )
        self._running.append(started.proc)
        if self._killed:
            self.kill()
        return started

    def kill(self) -> None:
        """Kill every ssh process, also for a thread that waits for one or is about to start one."""
        self._killed = True
        for process in self._running:
            if process.poll() is None:
                process.kill()


class _SshClient(SSHGitClient):
    """Also closes the connections that dulwich leaves open when it fails."""

    _opened: tuple[Protocol, ...] = ()

    def _connect(
        self, cmd: bytes, path: str | bytes, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], IO[bytes] | None]:
        opened = super()._connect(cmd, path, protocol_version)
        self._opened = (*self._opened, opened[0])
        return opened

    def close(self) -> None:
        for connection in self._opened:
            connection.close()


class RedirectRefused(GitProtocolError):
    """The server sends the client elsewhere."""


class _Connections(AuthCallbackPoolManager):
    """Follows redirects on the same server only, and closes what dulwich leaves open.

    A server that could send us anywhere would reach what only this machine can.
    """

    def __init__(self, pool: PoolManager) -> None:
        super().__init__(pool)
        self._pool = pool
        self._responses: list[BaseHTTPResponse] = []

    def request(self, method: str, url: str, *args: object, **kwargs: object) -> BaseHTTPResponse:
        """Send a request. As git does, redirect only the first one, which is a GET."""
        for _ in range(MAX_REDIRECTS + 1):
            response: BaseHTTPResponse = super().request(
                method, url, *args, **{**kwargs, "redirect": False}
            )
            self._responses.append(response)
            target = response.get_redirect_location()
            if not target:
                return response
            if method != "GET" or not _same_server(url, urljoin(url, target)):
                raise RedirectRefused("redirected to another server")
            url = urljoin(url, target)
        raise RedirectRefused(f"redirected more than {MAX_REDIRECTS} times")

    def close(self) -> None:
        for response in self._responses:
            response.close()
        self._pool.clear()


def _same_server(url: str, target: str) -> bool:
    here, there = (
        (one.scheme, one.host, one.port or _PORTS.get(one.scheme or ""))
        for one in (parse_url(url), parse_url(target))
    )
    return here == there


def _connections(address: str, timeout_s: float) -> _Connections:
    pool = default_urllib3_manager(None, base_url=address, timeout=timeout_s)
    # Without callbacks it is a plain pool, or one that goes through a proxy.
    return _Connections(cast("PoolManager", pool))
