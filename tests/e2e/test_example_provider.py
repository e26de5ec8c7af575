"""The example of a third-party package, installed with pip and used as anybody's would be."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import Done, run, serving
from tests.unit.providers.registry.plugins import install

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "integrations" / "example-provider"
PAGE = ROOT / "docs" / "how-to" / "write-a-provider.md"
SHOWN = [
    "src/sourcebook_example/hashing_provider.py",
    "src/sourcebook_example/exact_provider.py",
    "src/sourcebook_example/sourcebook_providers.toml",
    "tests/test_contracts.py",
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, so that building leaves nothing in the repository."""
    unwanted = shutil.ignore_patterns("__pycache__", "dist")
    return Path(
        shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("source") / "example", ignore=unwanted)
    )


@pytest.fixture(scope="module")
def site(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example as pip installs it, beside two packages that are broken."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([*pip, *offline, str(source)], check=True, timeout=120)
    shutil.rmtree(source / "src")
    value = "[sourcebook.rerankers]\nexample-broken = example_broken:PROVIDER\n"
    install(folder, "example-broken", value, {"example_broken.py": "import no_such_sdk"})
    install(folder, "example-lost", "[sourcebook.rerankers]\nexample-lost = no_such_module:X\n")
    return folder


def sourcebook(site: Path, cwd: Path, *arguments: str, **more: str) -> Done:
    return run(*arguments, cwd=cwd, env=_environment(site, more))


def cards(site: Path, cwd: Path) -> dict[str, dict[str, Any]]:
    done = sourcebook(site, cwd, "providers", "list", "--json")
    assert done.code == 0, done.err
    return {card["id"]: card for card in json.loads(done.out)["providers"]}


@pytest.mark.spec("000 RAG Provider Registration")
def test_an_installed_package_is_listed_beside_ours(site: Path, tmp_path: Path) -> None:
    listed = cards(site, tmp_path)

    assert listed["example-hashing"] == {
        "kind": "embedders",
        "id": "example-hashing",
        "display_name": "Hashed words",
        "description": (
            "An example: texts that share words are similar. It knows nothing of meaning."
        ),
        "capabilities": ["embeddings"],
        "package": "sourcebook-example-provider",
        "version": "0.1.0",
        "installed": True,
    }
    assert listed["example-exact"]["kind"] == "vector_stores"
    assert listed["mirror"]["package"] == "sourcebook"


def test_listing_imports_nothing_of_it(site: Path, tmp_path: Path) -> None:
    done = sourcebook(site, tmp_path, "providers", "list", PYTHONPROFILEIMPORTTIME="1")

    assert "example-hashing" in done.out
    assert "sourcebook.providers.registry.registry" in done.err
    assert "sourcebook_example" not in done.err


def test_its_settings_are_shown_and_tried_out(site: Path, tmp_path: Path) -> None:
    shown = sourcebook(site, tmp_path, "providers", "schema", "example-hashing", "--json")
    works = sourcebook(site, tmp_path, "providers", "test", "EXAMPLE-exact")
    fails = sourcebook(
        site, tmp_path, "providers", "test", "example-hashing", "--set", "dimensions=3"
    )

    fields = {field["name"]: field for field in json.loads(shown.out)["fields"]}
    assert (fields["dimensions"]["default"], fields["dimensions"]["type"]) == (256, "number")
    assert (works.code, "connected" in works.out) == (0, True), works.err
    assert (fails.code, "'dimensions'" in fails.err) == (1, True), fails.err


def test_a_broken_plug_in_is_reported_and_not_fatal(site: Path, tmp_path: Path) -> None:
    listed = cards(site, tmp_path)
    broken = sourcebook(site, tmp_path, "providers", "schema", "example-broken")
    healthy = sourcebook(site, tmp_path, "providers", "schema", "mirror")

    assert "problem" not in listed["example-broken"]
    assert listed["example-lost"]["problem"] == "Its module 'no_such_module' cannot be found"
    assert broken.code == 1
    assert (
        "Provider 'example-broken' of package 'example-broken 1.0' cannot be loaded:"
        " ModuleNotFoundError: No module named 'no_such_sdk'"
    ) in broken.err
    assert "Traceback" not in broken.err
    assert healthy.code == 0


def test_the_service_runs_on_both_beside_a_broken_plug_in(site: Path, tmp_path: Path) -> None:
    (tmp_path / "embeddings.yml").write_text(_last_yaml_of(PAGE), "utf-8")
    arguments = ["serve", "--data-dir", "data", "--embeddings-config", "embeddings.yml"]
    more = {"SOURCEBOOK_VECTOR_STORE": "example-exact"}
    question = {"collection": "pets", "query": "a cat", "top_k": 1}

    with serving(*arguments, cwd=tmp_path, env=_environment(site, more)) as server:
        key = (tmp_path / "data" / "admin.key").read_text("utf-8").strip()
        server.client.headers["X-Admin-API-Key"] = key
        server.post("/collections", {"name": "pets", "embedding_model": "words"})
        texts = [{"id": "c", "text": "the cat sat"}, {"id": "d", "text": "dogs bark"}]
        server.post("/collections/pets/documents", {"documents": texts})
        found = server.post("/query", question)["results"]
        health = [
            server.get(f"/providers/{name}/health")
            for name in ("Example-Exact", "example-hashing", "example-broken")
        ]
        server.stop()
    with serving(*arguments, cwd=tmp_path, env=_environment(site, more)) as server:
        found_again = server.post("/query", question)["results"]

    assert [hit["id"] for hit in found] == [hit["id"] for hit in found_again] == ["c"]
    assert [one["status"] for one in health] == ["up", "up", "not_configured"]
    assert health[0]["collection_count"] == 1


def test_it_keeps_our_contracts(site: Path, source: Path, tmp_path: Path) -> None:
    # A folder of its own: in the usual one it would shut out the user that our Postgres runs as.
    options = ["-q", "-p", "no:cacheprovider", "-W", "error", f"--basetemp={tmp_path / 'inner'}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "tests"],
        cwd=source,
        env=_environment(site, {}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.parametrize("name", SHOWN)
def test_the_page_shows_the_files_as_they_are(name: str) -> None:
    assert (EXAMPLE / name).read_text("utf-8") in PAGE.read_text("utf-8")


def test_the_page_shows_the_entry_points_as_they_are() -> None:
    _, *groups = (EXAMPLE / "pyproject.toml").read_text("utf-8").split("[project.entry-points")

    assert len(groups) == 2
    page = PAGE.read_text("utf-8")
    for group in groups:
        assert group.partition("\n\n")[0].rstrip() in page


def _environment(site: Path, more: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(site), **more}


def _last_yaml_of(page: Path) -> str:
    return page.read_text("utf-8").rpartition("```yaml\n")[2].partition("```")[0]
