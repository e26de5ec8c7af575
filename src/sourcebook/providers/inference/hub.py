"""Downloads models from the Hugging Face hub, or finds them in its cache."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import cast

# The client reads this when it is imported.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import httpx2
from huggingface_hub import constants, set_client_factory, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError
from huggingface_hub.utils._http import default_client_factory

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.download_progress import DownloadProgress, DownloadStopped
from sourcebook.providers.inference.model_code import code_repositories

log = logging.getLogger(__name__)

WEIGHTS = "*.safetensors"
# No pickles, and code only for a model that is trusted: what a model folder needs, nothing else.
WANTED_FILES = (WEIGHTS, "*.json", "*.txt", "*.model")
CODE_FILES = ("*.py",)
# The same model for other runtimes.
UNWANTED_FILES = tuple(
    f"{above}{folder}/*"
    for folder in ("onnx", "openvino", "coreml", "tflite", "gguf")
    for above in ("", "*/")
)
UNANSWERED = "the hub does not answer"


def is_offline() -> bool:
    """Return whether HF_HUB_OFFLINE forbids the client to connect."""
    return bool(constants.HF_HUB_OFFLINE)


def cached_model(hub_id: str, *, with_code: bool = False) -> Path | None:
    """Return the folder of a model that was downloaded whole; never touches the network."""
    folder = _cached(hub_id, _wanted(with_code))
    # Another tool may have fetched parts of it, or only pickled weights.
    if folder is None or not _has_weights(folder):
        return None
    if not with_code:
        return folder
    code = [_cached(repository, CODE_FILES) for repository in code_repositories(folder)]
    return None if None in code else folder


def download_model(hub_id: str, progress: DownloadProgress, *, with_code: bool = False) -> Path:
    """Download a model, or what is missing of it, into the hub's cache.

    Each file appears there when it is complete, and a folder with files missing is not taken for
    a model: after an interruption, the next download brings the rest.
    """
    folder = _downloaded(hub_id, _wanted(with_code), progress)
    if not _has_weights(folder):
        raise ConfigurationError(
            f"Model {hub_id!r} has no weights in the safetensors format, and pickled ones are never"
            " loaded. Choose a model that has them, or convert it"
        )
    for repository in code_repositories(folder) if with_code else ():
        _downloaded(repository, CODE_FILES, progress)
        log.info("model_code_downloaded", extra={"model": hub_id, "repository": repository})
    # A snapshot's folder is named for the commit that `main` was.
    log.info("model_downloaded", extra={"model": hub_id, "commit": folder.name})
    return folder


def _has_weights(folder: Path) -> bool:
    return any(folder.rglob(WEIGHTS))


def _wanted(with_code: bool) -> tuple[str, ...]:
    return (*WANTED_FILES, *CODE_FILES) if with_code else WANTED_FILES


def _cached(hub_id: str, files: Sequence[str]) -> Path | None:
    try:
        found = snapshot_download(
            hub_id,
            local_files_only=True,
            allow_patterns=[*files],
            ignore_patterns=[*UNWANTED_FILES],
        )
    except (LocalEntryNotFoundError, OSError, ValueError):
        return None
    return Path(found)


def _downloaded(hub_id: str, files: Sequence[str], progress: DownloadProgress) -> Path:
    set_client_factory(_open_client)
    try:
        found = snapshot_download(
            hub_id,
            allow_patterns=[*files],
            ignore_patterns=[*UNWANTED_FILES],
            tqdm_class=_bars_of(progress),
        )
    except DownloadStopped:
        raise
    except Exception as error:  # the client lets errors of its HTTP library through
        raise ConfigurationError(
            f"Model {hub_id!r} could not be downloaded: {_reason(error)}. Check its name and the"
            " network, or give a folder. Complete files are kept: the next start downloads the rest"
        ) from error
    return Path(found)


def _open_client() -> httpx2.Client:
    """Open the hub's own client, whose requests would wait for an answer for ever."""
    client = default_client_factory()
    client.event_hooks["request"].append(_limit_waiting)
    return client


def _limit_waiting(request: httpx2.Request) -> None:
    """Let no read last longer than the client's settings say; a slow download has many reads."""
    limit_s = max(constants.HF_HUB_ETAG_TIMEOUT, constants.HF_HUB_DOWNLOAD_TIMEOUT)
    asked_s = request.extensions.get("timeout", {}).get("read")
    timeout_s = limit_s if asked_s is None else min(asked_s, limit_s)
    request.extensions["timeout"] = httpx2.Timeout(timeout_s).as_dict()


def _reason(error: Exception) -> str:
    """Say what happened, without the client's advice, its addresses and its request ids."""
    if isinstance(error, RepositoryNotFoundError):
        return "the hub has no such model, or shows it only with a token (HF_TOKEN)"
    if isinstance(error, LocalEntryNotFoundError):
        cause = error.__cause__
        if isinstance(cause, HfHubHTTPError):
            return f"the hub answered with status {cause.response.status_code}"
        return UNANSWERED if _is_unanswered(cause) else "the hub cannot be reached"
    if _is_unanswered(error):
        return UNANSWERED
    first, *_ = str(error).strip().splitlines() or [""]
    return first or type(error).__name__


def _is_unanswered(error: BaseException | None) -> bool:
    timed_out = isinstance(error, httpx2.TimeoutException)
    return timed_out and not isinstance(error, httpx2.ConnectTimeout)


def _bars_of(progress: DownloadProgress) -> "type[Bar]":
    """Make the class of the bars of one download: the client creates them itself."""
    return cast("type[Bar]", type("BarOfOneDownload", (Bar,), {"progress": progress}))


class Bar:
    """Stands in for the client's tqdm bars, and shows nothing itself."""

    progress: DownloadProgress

    def __init__(
        self, *_: object, total: int | None = None, unit: str = "it", **__: object
    ) -> None:
        self.n = 0
        self.total = total
        self.format_dict: dict[str, float] = {}
        # The client has further bars: of files, and of what the network has brought.
        self._counts_bytes = unit == "B"

    def __enter__(self) -> "Bar":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Do nothing."""

    def update(self, more: float | None = 1) -> None:
        """Count what has arrived."""
        if self._counts_bytes:
            self.progress.count(self, int(more or 0))

    def close(self, *_: object, **__: object) -> None:
        """Do nothing; nor do the others, which change what is shown."""

    refresh = set_description = set_description_str = set_postfix_str = close
