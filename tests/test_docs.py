"""The documentation cannot go stale: what it names exists, and what exists is named."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from sourcebook.cli import exit_codes
from sourcebook.service.config.settings import Settings
from tests.command_line_page import PAGE as COMMAND_LINE
from tests.command_line_page import with_commands

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8"))

    for link in links:
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    example = (ROOT / ".env.example").read_text("utf-8")

    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = alias if isinstance(alias, str) else str(alias.choices[0])  # type: ignore[union-attr]
        assert f"`{name}`" in page
        assert f"`{variable}`" in page
        assert variable in example


def test_every_folder_of_the_package_is_in_the_architecture() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    package = ROOT / "src" / "sourcebook"
    folders = [path for path in package.iterdir() if (path / "__init__.py").exists()]

    assert folders
    for folder in folders:
        assert f"`src/sourcebook/{folder.name}/`" in page


@pytest.mark.parametrize(
    ("module", "page"),
    [
        ("collections.routes", "collections"),
        ("collections.collect_routes", "collections"),
        ("collections.reindex_routes", "collections"),
        ("rag_v3.routes", "documents"),
        ("providers.routes", "providers"),
        ("openai.routes", "openai"),
        ("openai.responses_routes", "openai"),
        ("openai.embeddings_routes", "openai"),
        ("openai.rerank_routes", "openai"),
    ],
)
def test_every_route_of_the_contract_is_documented(module: str, page: str) -> None:
    routes = import_module(f"sourcebook.surfaces.{module}")

    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    routers = [
        getattr(routes, name) for name in ("reads", "writes", "routes") if hasattr(routes, name)
    ]
    assert routers
    for route in (route for router in routers for route in router.routes):
        method = next(iter(route.methods))
        assert f"`{method} {route.path.replace(':path', '')}" in text


def test_every_command_and_option_is_documented() -> None:
    page = COMMAND_LINE.read_text("utf-8")

    assert page == with_commands(page), "run `make format` (python -m tests.command_line_page)"


def test_every_exit_code_is_documented() -> None:
    page = COMMAND_LINE.read_text("utf-8")
    codes = {code for code in vars(exit_codes).values() if isinstance(code, int)}

    documented = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    assert {int(code) for code in documented} == codes


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text("utf-8")

    for path in folder.glob("0*.md"):
        assert f"({path.name})" in listed
