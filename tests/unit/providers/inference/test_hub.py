"""Models of the Hugging Face hub: found in its cache, or downloaded from a hub on loopback."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference import hub
from sourcebook.providers.inference.download_progress import DownloadProgress, DownloadStopped
from sourcebook.providers.inference.local_models import (
    CROSS_ENCODER,
    EMBEDDER,
    HubRole,
    WantedModel,
    fetch_model,
    locate,
)
from tests.hub_server import COMMIT, HubServer, hub_server, use_hub
from tests.tiny_models import save_tiny_embedder

WANTED = WantedModel("owner/model", EMBEDDER)
TRUSTED = WantedModel("owner/model", EMBEDDER, with_code=True)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def started() -> Iterator[HubServer]:
    with hub_server() as server:
        yield server


@pytest.fixture
def server(
    started: HubServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> HubServer:
    use_hub(monkeypatch, started, cache)
    save_tiny_embedder(tmp_path / "origin")
    started.repositories.clear()
    started.broken.clear()
    started.requested.clear()
    started.silent = False
    started.add("owner/model", tmp_path / "origin")
    return started


def put_in_cache(cache: Path, hub_id: str, *files: str) -> Path:
    model = cache / f"models--{hub_id.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(COMMIT)
    snapshot = model / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    for name in files or ("config.json", "model.safetensors"):
        (snapshot / name).write_text("{}")
    return snapshot


def show(text: str) -> None:
    """Take no notice."""


@pytest.mark.spec("001 Download models without starting server")
def test_a_model_that_was_downloaded_is_read_from_the_cache(cache: Path) -> None:
    snapshot = put_in_cache(cache, "owner/model")
    model = locate("owner/model", cache, EMBEDDER)
    assert (model.name, model.folder) == ("owner/model", snapshot)


def test_a_name_without_an_owner_gets_the_usual_one(cache: Path) -> None:
    put_in_cache(cache, "sentence-transformers/model")
    model = locate("model", cache, EMBEDDER)
    assert model.name == "sentence-transformers/model"


@pytest.mark.spec("001 Model load failure terminates startup")
@pytest.mark.parametrize(
    ("role", "flag"), [(EMBEDDER, "--embeddings-config"), (CROSS_ENCODER, "--cross-encoder")]
)
def test_a_model_that_was_not_downloaded_says_how_to(cache: Path, role: HubRole, flag: str) -> None:
    with pytest.raises(ConfigurationError, match=f"serve --download-models {flag}") as caught:
        locate("owner/model", cache, role)
    assert "--offline" in caught.value.message


def test_a_folder_without_weights_in_the_cache_is_no_model(cache: Path) -> None:
    put_in_cache(cache, "owner/model", "config.json", "pytorch_model.bin")
    assert hub.cached_model("owner/model") is None


async def test_a_missing_model_is_downloaded_and_then_found(
    server: HubServer, caplog: pytest.LogCaptureFixture
) -> None:
    shown: list[str] = []

    with caplog.at_level(logging.INFO):
        await fetch_model(WANTED, shown.append)

    model = locate("owner/model", Path("models"), EMBEDDER)
    assert model.folder.name == COMMIT
    assert (model.folder / "model.safetensors").is_file()
    assert shown[0] == "Downloading owner/model …"
    assert "Downloading owner/model: 0 of 0 MB …" in shown
    events = [record.message for record in caplog.records if "model" in vars(record)]
    assert events == ["model_download_started", "model_downloaded"]
    assert vars(caplog.records[-1])["commit"] == COMMIT


async def test_only_what_a_model_needs_is_downloaded(server: HubServer) -> None:
    needed = dict(server.repositories["owner/model"])
    more = ["pytorch_model.bin", "model.onnx", "onnx/config.json", "0_A/openvino/a.json", "code.py"]
    server.repositories["owner/model"] = {**needed, **dict.fromkeys(more, b"{}")}

    await fetch_model(WANTED, show)

    assert server.fetched("owner/model") == set(needed)


async def test_a_model_that_is_there_is_not_asked_for(server: HubServer) -> None:
    await fetch_model(WANTED, show)
    server.requested.clear()

    await fetch_model(WANTED, show)

    assert server.requested == []


@pytest.mark.spec("001 Download models without starting server")
async def test_the_newest_files_are_asked_for_in_any_case(server: HubServer) -> None:
    await fetch_model(WANTED, show)
    server.requested.clear()

    await fetch_model(WANTED, show, newest=True)

    assert server.requested != []


async def test_offline_nothing_is_downloaded(
    server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    await fetch_model(WANTED, show)

    assert server.requested == []


@pytest.mark.parametrize("path", ["bundled:all-MiniLM-L6-v2", "./nowhere/at/all", "origin"])
async def test_nothing_else_is_looked_for_on_the_hub(server: HubServer, path: str) -> None:
    await fetch_model(WantedModel(path, EMBEDDER), show)

    assert server.requested == []


async def test_half_a_model_is_not_taken_for_one_and_completed_later(server: HubServer) -> None:
    server.broken.add("tokenizer.json")
    with pytest.raises(ConfigurationError, match=r"could not be downloaded: .* 403"):
        await fetch_model(WANTED, show)

    assert hub.cached_model("owner/model") is None
    server.broken.clear()
    await fetch_model(WANTED, show)
    assert (locate("owner/model", Path("models"), EMBEDDER).folder / "tokenizer.json").is_file()


async def test_an_unknown_model_is_named_with_what_may_be_wrong(server: HubServer) -> None:
    with pytest.raises(ConfigurationError, match="no such model, or shows it only with a token"):
        await fetch_model(WantedModel("nobody/nothing", EMBEDDER), show)


async def test_a_hub_that_is_away_is_a_configuration_error(
    server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")

    with pytest.raises(ConfigurationError, match="the hub cannot be reached") as caught:
        await fetch_model(WANTED, show)
    assert "127.0.0.1" not in caught.value.message


async def test_a_hub_that_never_answers_is_a_configuration_error(
    server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.silent = True
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_ETAG_TIMEOUT", 0.05)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DOWNLOAD_TIMEOUT", 0.05)

    with pytest.raises(ConfigurationError, match="the hub does not answer"):
        await asyncio.wait_for(fetch_model(WANTED, show), 10)


async def test_pickled_weights_alone_are_refused(server: HubServer) -> None:
    server.repositories["owner/model"] = {"config.json": b"{}", "pytorch_model.bin": b"x"}

    with pytest.raises(ConfigurationError, match="no weights in the safetensors format"):
        await fetch_model(WANTED, show)


async def test_a_trusted_model_brings_its_code_from_wherever_it_is(server: HubServer) -> None:
    files = dict(server.repositories["owner/model"])
    config = files["config.json"].removesuffix(b"}")
    mapped = b', "auto_map": {"AutoModel": "other/code--model.Model", "AutoConfig": "c.C"}}'
    server.repositories["owner/model"] = {**files, "config.json": config + mapped, "c.py": b""}
    server.repositories["other/code"] = {"model.py": b"pass", "model.safetensors": b""}

    await fetch_model(WANTED, show)
    assert server.fetched("other/code") == set()
    assert hub.cached_model("owner/model", with_code=True) is None
    await fetch_model(TRUSTED, show)

    folder = locate("owner/model", Path("models"), EMBEDDER, with_code=True).folder
    assert (folder / "c.py").is_file()
    assert server.fetched("other/code") == {"model.py"}


async def test_a_download_that_nobody_waits_for_ends(
    server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()
    downloads: list[DownloadProgress] = []
    loop = asyncio.get_running_loop()

    def download(hub_id: str, progress: DownloadProgress, *, with_code: bool) -> None:
        downloads.append(progress)
        loop.call_soon_threadsafe(begun.set)

    monkeypatch.setattr(hub, "download_model", download)
    task = asyncio.create_task(fetch_model(WANTED, show))
    await begun.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    with pytest.raises(DownloadStopped):
        downloads[0].count(hub.Bar(total=1, unit="B"), 1)
