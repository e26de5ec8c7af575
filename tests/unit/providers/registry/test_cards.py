"""Cards come from files beside the providers, and a bad file harms nobody."""

import sys
from importlib.metadata import Distribution
from importlib.metadata._meta import SimplePath
from pathlib import Path

import pytest

from sourcebook.core.providers import ProviderCard
from sourcebook.providers.registry.registry import Registry
from tests.unit.providers.registry.plugins import PROVIDER, install

ENTRY = "[sourcebook.embedders]\nacme = acme_cards.inner.embedder:PROVIDER\n"
FILES = {
    "acme_cards/__init__.py": "raise AssertionError('imported')",
    "acme_cards/inner/__init__.py": "raise AssertionError('imported')",
    "acme_cards/inner/embedder.py": PROVIDER,
}
CARD = """
[embedders.acme]
display_name = "Acme Embeddings"
description = "Vectors by Acme."
capabilities = ["embeddings", "images"]
needs = "{needs}"
extra = "fast"
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def only_card(site: Path, files: dict[str, str]) -> ProviderCard:
    install(site, "acme-cards", ENTRY, {**FILES, **files})
    [card] = [card for card in Registry().cards() if card.package == "acme-cards"]
    assert not any(name.startswith("acme_cards") for name in sys.modules)
    return card


class CountingDistribution(Distribution):
    """A package with two providers, which counts how often its metadata is read."""

    def __init__(self) -> None:
        self.read = 0

    def read_text(self, filename: str) -> str | None:
        if filename == "entry_points.txt":
            return "[sourcebook.embedders]\none = acme_cards:A\ntwo = acme_cards:B\n"
        self.read += filename == "METADATA"
        return (
            "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n" if filename == "METADATA" else None
        )

    def locate_file(self, path: object) -> SimplePath:
        raise AssertionError(path)


def test_the_metadata_of_a_package_is_read_once_for_all_its_providers() -> None:
    package = CountingDistribution()

    cards = Registry(package.entry_points).cards()

    assert [card.versioned_package for card in cards] == ["acme 1.0", "acme 1.0"]
    assert package.read == 1


@pytest.mark.parametrize("folder", ["acme_cards", "acme_cards/inner"])
def test_the_words_come_from_a_file_in_the_package_or_nearer(site: Path, folder: str) -> None:
    card = only_card(site, {f"{folder}/sourcebook_providers.toml": CARD.format(needs="json")})

    assert (card.display_name, card.description) == ("Acme Embeddings", "Vectors by Acme.")
    assert card.capabilities == ("embeddings", "images")
    assert (card.installed, card.extra, card.problem) == (True, None, None)


def test_the_nearest_file_that_knows_the_provider_counts(site: Path) -> None:
    near = '[embedders.another]\ndisplay_name = "Another"\n'
    card = only_card(
        site,
        {
            "acme_cards/inner/sourcebook_providers.toml": near,
            "acme_cards/sourcebook_providers.toml": CARD.format(needs="json"),
        },
    )

    assert card.display_name == "Acme Embeddings"


@pytest.mark.parametrize("needs", ["no_such_sdk_at_all", "json.no_such_part", "xml.etree.nothing"])
def test_a_missing_sdk_says_what_to_install(site: Path, needs: str) -> None:
    card = only_card(site, {"acme_cards/sourcebook_providers.toml": CARD.format(needs=needs)})

    assert (card.installed, card.extra, card.problem) == (False, "fast", None)


def test_the_sdk_may_be_a_part_of_a_package(site: Path) -> None:
    files = {"acme_cards/sourcebook_providers.toml": CARD.format(needs="xml.etree.ElementTree")}

    assert only_card(site, files).installed


def test_a_package_without_an_init_file_has_a_card_too(site: Path) -> None:
    install(
        site,
        "bare",
        "[sourcebook.embedders]\nbare = bare_space.part.embedder:PROVIDER\n",
        {
            "bare_space/part/embedder.py": PROVIDER,
            "bare_space/part/sourcebook_providers.toml": '[embedders.bare]\ndescription = "Bare."',
        },
    )

    card = Registry().card("bare")
    assert (card.description, card.problem) == ("Bare.", None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[embedders.acme", "is not valid TOML"),
        ("\x00", "is not valid TOML"),
        ("embedders.acme = 7", "is wrong at embedders.acme"),
        ('[embedders.acme]\ncapabilities = "search"', "is wrong at embedders.acme.capabilities"),
        ("[embedders.acme]\ncapabilities = [7]", "is wrong at embedders.acme.capabilities.0"),
        ("[embedders.acme]\ndisplay_name = 7", "is wrong at embedders.acme.display_name"),
        ("[embedders.acme]\ncolour = 'red'", "is wrong at embedders.acme.colour"),
        ("#" * 2_000_000, "is larger than 1,000,000 bytes"),
    ],
    ids=["syntax", "nul", "no table", "no list", "no text", "number", "unknown", "large"],
)
def test_a_bad_file_is_a_problem_of_the_card_alone(site: Path, text: str, problem: str) -> None:
    card = only_card(site, {"acme_cards/sourcebook_providers.toml": text})

    assert f"Its sourcebook_providers.toml {problem}" in (card.problem or "")
    assert str(site) not in (card.problem or "")
    assert (card.display_name, card.capabilities) == ("Acme", ("embeddings",))
    assert Registry().card("mirror").problem is None


def test_a_file_that_is_about_others_says_nothing(site: Path) -> None:
    card = only_card(site, {"acme_cards/sourcebook_providers.toml": "embedders = 7"})

    assert (card.display_name, card.problem) == ("Acme", None)
