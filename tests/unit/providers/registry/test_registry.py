"""The registry finds what is installed, imports what is wanted, and survives what is broken."""

import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sourcebook.core.errors import NotFound
from sourcebook.core.providers import KINDS, ProviderCard, ProviderKind
from sourcebook.providers.registry.registry import ProviderBroken, Registry
from tests.unit.providers.registry.plugins import PROVIDER, install

OURS: dict[ProviderKind, list[str]] = {
    "vector_stores": ["chromadb", "chromadb-server", "mirror", "qdrant"],
    "embedders": [
        "cohere",
        "ollama",
        "openai",
        "openai-compatible",
        "openvino",
        "sentence-transformers",
    ],
    "rerankers": ["cohere", "openvino", "reader", "sentence-transformers"],
    "readers": ["openvino"],
    "judges": ["language-model", "openvino"],
    "language_models": ["gemini", "ollama", "openai", "openai-compatible"],
    "converters": [
        *("docx", "epub", "html", "notebook", "odt", "pdf", "pptx", "rst", "table", "text"),
    ],
}
# A form cannot ask for a function.
FORMLESS = "from collections.abc import Callable\n" + PROVIDER.replace("str", "Callable[[], str]")
HEAVY = ["openvino", "torch", "openai", "agents", "qdrant_client", "chromadb"]
HEAVY += ["sentence_transformers", "numpy", "tokenizers"]
HEAVY += ["docutils", "html_to_markdown", "liteparse", "mammoth", "pptx", "selectolax"]

LISTING = """
import json, sys
from sourcebook.providers.registry.registry import Registry
cards = Registry().cards()
loaded = [name for name in sys.modules if name in sys.argv[1:] or name.endswith("_provider")]
print(json.dumps([len(cards), loaded]))
"""

LOADING = """
import json, sys
from sourcebook.providers.registry.registry import Registry
registry = Registry()
for card in registry.cards():
    registry.load(card.id, card.kind)
problems = [card.problem for card in registry.cards() if card.problem]
print(json.dumps({"problems": problems, "loaded": [n for n in sys.argv[1:] if n in sys.modules]}))
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that are installed beside ours."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def theirs(registry: Registry) -> list[ProviderCard]:
    return [card for card in registry.cards() if card.package != "sourcebook"]


@pytest.mark.spec("000 RAG Provider Discovery")
def test_every_provider_is_listed_with_what_it_can_do() -> None:
    cards = Registry().cards()

    assert {kind: [card.id for card in cards if card.kind == kind] for kind in KINDS} == OURS
    assert [card.kind for card in cards] == sorted((card.kind for card in cards), key=KINDS.index)
    assert all(card.display_name and card.description and card.capabilities for card in cards)
    assert {card.package for card in cards} == {"sourcebook"}


@pytest.mark.spec("000 Provider Capabilities Declaration")
def test_a_card_says_what_the_provider_can_do() -> None:
    registry = Registry()

    stores = {"collections", "search", "metadata_filtering"}
    assert stores <= set(registry.card("qdrant").capabilities)
    assert registry.card("openvino", "embedders").capabilities == ("embeddings",)
    assert registry.card("openvino", "rerankers").capabilities == ("reranking",)


def test_each_of_ours_can_be_loaded_without_its_sdk() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADING, *HEAVY], capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout) == {"problems": [], "loaded": []}


def test_listing_imports_no_provider_and_no_sdk() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTING, *HEAVY], capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout) == [sum(map(len, OURS.values())), []]


@pytest.mark.spec("000 RAG Provider Registration")
def test_a_package_of_somebody_else_is_listed_once_it_is_installed(site: Path) -> None:
    before = theirs(Registry())
    install(
        site,
        "acme-search",
        "[sourcebook.vector_stores]\nacme-db = acme_search.store:PROVIDER\n",
        {"acme_search/__init__.py": "", "acme_search/store.py": PROVIDER},
        version="2.3",
        summary="Search by Acme.",
    )

    assert before == []
    assert theirs(Registry()) == [
        ProviderCard(
            kind="vector_stores",
            id="acme-db",
            display_name="Acme Db",
            description="Search by Acme.",
            capabilities=("collections", "search", "metadata_filtering", "dynamic_collections"),
            package="acme-search",
            version="2.3",
        )
    ]
    assert "acme_search" not in sys.modules


@pytest.mark.spec("000 RAG Provider Selection")
async def test_a_provider_is_found_by_its_id_in_large_or_small_letters(site: Path) -> None:
    value = "[sourcebook.embedders]\nMixed-Case = mixed_case:PROVIDER\n"
    install(site, "mixed-case", value, {"mixed_case.py": PROVIDER})
    registry = Registry()

    assert registry.card("mixed-CASE").id == "Mixed-Case"
    assert registry.card("MIRROR").id == "mirror"
    assert registry.load("MIXED-case").settings.model_fields.keys() == {"url"}


def test_without_a_kind_the_first_kind_that_has_the_id_is_meant() -> None:
    registry = Registry()

    assert registry.card("openai").kind == "embedders"
    assert registry.card("openai", "language_models").kind == "language_models"


def test_an_unknown_provider_is_not_found_and_the_known_ones_are_named() -> None:
    registry = Registry()

    with pytest.raises(NotFound) as of_all:
        registry.card("acme")
    with pytest.raises(NotFound) as of_stores:
        registry.load("openvino", "vector_stores")
    with pytest.raises(NotFound, match=r"^Embedding provider 'cohre' not found"):
        registry.card("cohre", "embedders")
    with pytest.raises(NotFound, match=r"^Language model provider 'gemni' not found"):
        registry.card("gemni", "language_models")
    with pytest.raises(NotFound) as of_rerankers:
        registry.card("mirror", "rerankers")

    assert of_all.value.message.startswith(
        "Provider 'acme' not found. Available providers: chromadb, chromadb-server, "
    )
    assert of_stores.value.message == (
        "Retrieval provider 'openvino' not found. Available providers: chromadb,"
        " chromadb-server, mirror, qdrant"
    )
    assert of_rerankers.value.message == (
        "Reranking provider 'mirror' not found. Available providers: cohere, openvino, reader,"
        " sentence-transformers"
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_sdk_at_all", "ModuleNotFoundError: No module named 'no_such_sdk_at_all'"),
        ("raise RuntimeError('at import\\nand more')", "RuntimeError: at import"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("PROVIDER = 'a string'", "TypeError: it is a str, not a Provider"),
        (FORMLESS, "PydanticInvalidForJsonSchema: Cannot generate a JsonSchema"),
        ("", "AttributeError: module"),
        ("def broken(:", "SyntaxError: invalid syntax"),
        ("raise OSError('no /opt/secret/place here')", "OSError: no … here"),
    ],
    ids=["import", "raises", "exits", "no provider", "form", "nothing", "syntax", "path"],
)
def test_a_broken_plug_in_is_reported_and_the_others_work(
    site: Path, code: str, reason: str, request: pytest.FixtureRequest
) -> None:
    module = f"broken_{request.node.callspec.id.replace(' ', '_')}"
    value = f"[sourcebook.rerankers]\nbroken = {module}:PROVIDER\n"
    install(site, "broken-thing", value, {f"{module}.py": code})
    registry = Registry()
    assert theirs(registry)[0].problem is None

    with pytest.raises(ProviderBroken) as caught:
        registry.load("broken")

    start = f"Provider 'broken' of package 'broken-thing 1.0' cannot be loaded: {reason}"
    assert caught.value.message.startswith(start)
    assert str(site) not in caught.value.message
    [card] = theirs(registry)
    assert (card.problem or "").startswith(f"It cannot be loaded: {reason}")
    assert registry.load("mirror")


def test_a_plug_in_that_was_mended_has_no_problem_any_more(site: Path) -> None:
    value = "[sourcebook.rerankers]\nmended = mended_one:PROVIDER\n"
    install(site, "mended", value, {"mended_one.py": "import no_such_sdk_at_all"})
    registry = Registry()
    with pytest.raises(ProviderBroken):
        registry.load("mended")

    # Of another length: a cache of the import system goes by size and second.
    (site / "mended_one.py").write_text(PROVIDER)
    registry.load("mended")

    assert registry.card("mended").problem is None


def test_an_interrupt_is_not_taken_for_a_broken_plug_in(site: Path) -> None:
    value = "[sourcebook.rerankers]\nstopped = stopped_one:PROVIDER\n"
    install(site, "stopped", value, {"stopped_one.py": "raise KeyboardInterrupt"})

    with pytest.raises(KeyboardInterrupt):
        Registry().load("stopped")


def test_of_two_packages_with_one_id_the_first_is_used_and_the_other_reported(site: Path) -> None:
    for package in ("zebra", "aardvark"):
        value = f"[sourcebook.vector_stores]\nacme = {package}_store:PROVIDER\n"
        code = PROVIDER.replace("localhost", package)
        install(site, package, value, {f"{package}_store.py": code})
    registry = Registry()

    first, second = theirs(registry)
    assert (first.package, first.problem) == ("aardvark", None)
    assert (second.package, second.problem) == (
        "zebra",
        "Not used: package 'aardvark 1.0' provides 'acme' already",
    )
    assert registry.card("acme") == first
    assert "aardvark" in str(registry.load("acme").settings())


def test_nobody_can_take_the_id_of_one_of_ours(site: Path) -> None:
    install(
        site,
        "aaa-mirror",
        "[sourcebook.vector_stores]\nMIRROR = aaa_mirror:PROVIDER\n",
        {"aaa_mirror.py": PROVIDER},
    )
    registry = Registry()

    assert registry.card("MIRROR").package == "sourcebook"
    assert theirs(registry)[0].problem == (
        "Not used: package 'sourcebook 0.1.0' provides 'mirror' already"
    )


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("no_such_module_at_all.store:PROVIDER", "Its module 'no_such_module_at_all.store'"),
        ("sourcebook.no_such_module:PROVIDER", "Its module 'sourcebook.no_such_module'"),
        ("sourcebook.core.errors.deeper:PROVIDER", "Its module 'sourcebook.core.errors.deeper'"),
        ("not a module!", "Its entry point 'not a module!' is not of the form"),
        ("..:PROVIDER", "Its module '..'"),
    ],
)
def test_an_entry_point_that_leads_nowhere_is_a_problem_of_its_card(
    value: str, problem: str
) -> None:
    registry = Registry([EntryPoint("lost", value, "sourcebook.embedders")])

    [card] = registry.cards()
    assert (card.problem or "").startswith(problem)
    with pytest.raises(ProviderBroken, match="'lost'") as caught:
        registry.load("lost")
    assert "NoneType" not in caught.value.message


def test_a_package_whose_entry_points_cannot_be_read_hides_no_other(
    site: Path, caplog: pytest.LogCaptureFixture
) -> None:
    install(site, "unreadable", "[sourcebook.embedders]\nno equals sign\n")
    value = "[sourcebook.embedders]\nreadable = readable_one:PROVIDER\n"
    install(site, "readable", value, {"readable_one.py": PROVIDER})

    assert [card.id for card in theirs(Registry())] == ["readable"]
    assert "entry_points_unreadable" in caplog.text


def test_a_package_without_metadata_is_named_by_its_module(site: Path) -> None:
    value = "[sourcebook.embedders]\nbare = bare_metadata.one:PROVIDER\n"
    install(site, "bare-metadata", value, {"bare_metadata/one.py": PROVIDER})
    (site / "bare_metadata-1.0.dist-info" / "METADATA").unlink()

    card = Registry().card("bare")
    assert (card.package, card.version, card.description) == ("bare_metadata", "", "")
    assert card.problem is None


def test_of_one_package_in_two_places_the_one_that_is_imported_counts(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = "[sourcebook.embedders]\ntwice = twice_there:PROVIDER\n"
    install(site, "twice-there", value, {"twice_there.py": PROVIDER}, version="1.0")
    install(tmp_path / "first", "twice_there", value, {"twice_there.py": PROVIDER}, version="2.0")
    monkeypatch.syspath_prepend(tmp_path / "first")

    [card] = theirs(Registry())
    assert (card.version, card.problem) == ("2.0", None)


def test_groups_of_others_are_not_ours() -> None:
    found = [EntryPoint("x", "y:Z", group) for group in ("console_scripts", "sourcebook.other")]

    assert Registry(found).cards() == []
