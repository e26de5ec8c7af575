"""Fetches the latest commit of a remote branch, with the objects that are missing here."""

import hashlib
import logging
import zlib
from collections.abc import Mapping
from functools import partial
from typing import IO

from dulwich.client import HTTPProxyUnauthorized, HTTPUnauthorized
from dulwich.errors import ChecksumMismatch, FileFormatException, GitProtocolError, NotGitRepository
from dulwich.object_store import ObjectStoreGraphWalker
from dulwich.objects import ObjectID
from dulwich.refs import Ref
from urllib3.exceptions import HTTPError

from sourcebook.core.errors import SourceUnavailable
from sourcebook.providers.daemon_thread import in_daemon_thread
from sourcebook.providers.sources.git.client import RedirectRefused, Ssh, connected
from sourcebook.providers.sources.git.pack import CappedPack
from sourcebook.providers.sources.git.url import GitUrl

log = logging.getLogger(__name__)

_HEAD = b"HEAD"
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (HTTPUnauthorized, "refuses access; check the credentials in its address"),
    (HTTPProxyUnauthorized, "cannot be reached: the proxy refuses access"),
    (NotGitRepository, "is no git repository, or is not shown without credentials"),
    (RedirectRefused, "redirects to another server; set the address that it has moved to"),
    (GitProtocolError, "did not answer as git does, or refused"),
    (OSError, "cannot be reached"),
)
# What dulwich raises when the server answers something unexpected.
_FAILURES: tuple[type[Exception], ...] = (
    *(kind for kind, _ in _REASONS),
    HTTPError, FileFormatException, ChecksumMismatch, zlib.error,
    ValueError, LookupError, TypeError, AssertionError, EOFError,
)  # fmt: skip


class GitRemote:
    """A branch of a remote repository; by default, its HEAD."""

    def __init__(self, url: GitUrl, branch: str | None, timeout_s: float) -> None:
        self._url = url
        self._branch = branch or None
        self._timeout_s = timeout_s

    @property
    def shown(self) -> str:
        """The URL as messages may show it: without credentials."""
        return self._url.shown

    @property
    def key(self) -> str:
        """A unique file name, which does not depend on the credentials."""
        url = self._url
        parts = [url.scheme, url.host, str(url.port), url.path, self._branch or ""]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    async def fetch(self, known: ObjectID | None, pack: IO[bytes]) -> ObjectID:
        """Return the branch's commit, and write missing objects to `pack`: none if it is known.

        PackRefused if there are too many. A fetch that times out is abandoned; once the pack's
        file is closed it can do no harm.
        """
        ssh = Ssh()
        work = partial(self._fetch, known, CappedPack(pack), ssh)
        try:
            return await in_daemon_thread(work, self._timeout_s)
        except TimeoutError:
            raise SourceUnavailable(
                f"The repository {self.shown!r} was not fetched within {self._timeout_s:g} seconds"
            ) from None
        except _FAILURES as error:
            raise self._translated(error) from error
        finally:
            ssh.kill()

    def _fetch(self, known: ObjectID | None, pack: CappedPack, ssh: Ssh) -> ObjectID:
        commits: list[ObjectID] = []
        heads = [] if known is None else [known]
        # To a shallow clone of a local folder, dulwich would send everything after each push.
        shallow = not self._url.is_local

        def wanted(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
            # A plain web server: objects would be fetched one by one, without a limit.
            if getattr(client, "dumb", False):
                raise NotGitRepository
            commits[:] = [self._commit(refs)]
            return [] if commits == heads else commits

        with connected(self._url, ssh, self._timeout_s) as (client, path):
            client.fetch_pack(
                path,
                wanted,
                ObjectStoreGraphWalker(heads, lambda _: [], set(heads) if shallow else None),
                lambda data: pack.write(data) if commits != heads else len(data),
                depth=1 if shallow else None,
                ref_prefix=[_HEAD, self._ref],
            )
        return commits[0]

    @property
    def _ref(self) -> bytes:
        return _HEAD if self._branch is None else b"refs/heads/" + self._branch.encode()

    def _commit(self, refs: Mapping[Ref, ObjectID]) -> ObjectID:
        commit = refs.get(Ref(self._ref))
        if commit is not None:
            return commit
        missing = "no commits yet" if self._branch is None else f"no branch {self._branch!r}"
        raise SourceUnavailable(f"The repository {self.shown!r} has {missing}")

    def _translated(self, error: Exception) -> SourceUnavailable:
        # The server's own words stay in the log: they could repeat credentials.
        cause = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        log.info("git_fetch_failed", extra={"repository": self.shown, "cause": cause})
        reasons = (reason for kind, reason in _REASONS if isinstance(error, kind))
        reason = next(reasons, "sent something that cannot be understood")
        return SourceUnavailable(f"The repository {self.shown!r} {reason}")
