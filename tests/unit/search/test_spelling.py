"""A word that the documents do not know is replaced by the nearest that they do."""

from collections.abc import AsyncIterator, Sequence

import pytest

from sourcebook.core.documents import Document, TokenSpans
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.filters import Compare
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.providers.lexical.bm25 import Bm25Encoder
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from sourcebook.search import searcher as searching
from sourcebook.search.catalog import Catalog
from sourcebook.search.searcher import Searcher, SearchResult
from sourcebook.search.spelling import (
    corrected,
    count_words,
    doubtful_words,
    likeliest,
    likeliest_form,
    misspelt_small_words,
    variants,
)
from tests.fakes import FakeEmbedder

DOCUMENTS = [
    Document("scheduler", "The scheduler assigns pods to nodes.", {"tier": 1}),
    Document("kubelet", "The kubelet runs containers on a machine.", {"tier": 1}),
    Document("cold", "The freezer keeps samples.", {"tier": 1}),
    Document("hidden", "The actuator is calibrated in secret.", {"tier": 4}),
    Document("games", "A sport for the evening.", {"tier": 1}),
    Document("database", "On this machine Postgres runs.", {"tier": 1}),
    Document("switch", "The switch speaks rstp.", {"tier": 1}),
    Document("key", "Der Schlüssel liegt hier.", {"tier": 1}),
    Document("leave", "Du kannst den Urlaub beim Chef beantragen.", {"tier": 1}),
    Document("lock", "The file `Cargo.lock` and --keep-locks pin each crate.", {"tier": 1}),
    Document("tokio", "Use tokio::runtime to start tasks.", {"tier": 1}),
    Document("proxy", "Set HTTPX_PROXY, whatever a machinery needs.", {"tier": 1}),
    Document("parts", "A fozen crate is not --frozen-lockers.", {"tier": 1}),
    Document("secret flag", "Start it with --hidden-actuators.", {"tier": 4}),
    *(Document(f"ball {n}", "A sport with a ball.", {"tier": 1}) for n in range(6)),
    *(Document(f"driver {n}", "Drivers have support for frames.", {"tier": 1}) for n in range(9)),
    Document(
        "printer", "Printers have support for colours. The configuration is a file.", {"tier": 1}
    ),
]
ENCODER = Bm25Encoder()
FREQUENT = {"freeze", "capital", "machine", "configured", "form"}


class WordPieceEmbedder(FakeEmbedder):
    """Has frequent words whole, and takes all others apart."""

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        words = await super().tokenize(texts)
        return [
            [piece for span in spans for piece in _pieces(text, *span)]
            for text, spans in zip(texts, words, strict=True)
        ]


def _pieces(text: str, start: int, end: int) -> TokenSpans:
    if end - start == 1 or text[start:end] in FREQUENT:
        return [(start, end)]
    return [(start, start + 1), (start + 1, end)]


@pytest.fixture
def embedder() -> FakeEmbedder:
    return WordPieceEmbedder("minilm")


@pytest.fixture
async def index(ledger: Ledger) -> AsyncIterator[MirrorStore]:
    index = MirrorStore(ledger.mirrors, ENCODER)
    yield index
    index.close()


@pytest.fixture
async def ingestor(ledger: Ledger, index: MirrorStore, models: EmbeddingModels) -> Ingestor:
    await Catalog(ledger, index, models).create("docs", {}, "minilm")
    ingestor = Ingestor(ledger, index, models)
    await ingestor.add("docs", DOCUMENTS)
    return ingestor


@pytest.fixture
def searcher(
    ingestor: Ingestor, ledger: Ledger, index: MirrorStore, models: EmbeddingModels
) -> Searcher:
    return Searcher(ledger, index, models, terms=ENCODER)


async def search(searcher: Searcher, question: str, tier: int = 4, limit: int = 3) -> SearchResult:
    seen = Compare("tier", "lte", tier)
    return await searcher.search("docs", question, limit, seen, correct_spelling=True)


@pytest.mark.parametrize(
    ("question", "better"),
    [
        ("What does the shceduler assign?", "What does the scheduler assign?"),
        ("What does the schedulr assign?", "What does the scheduler assign?"),
        ("Where do contaimers run?", "Where do containers run?"),
        ("Kubelett and its machine", "kubelet and its machine"),
        ("Wich machine does teh kubelet run?", "which machine does the kubelet run?"),
        ("Does the scheduler assign pdos?", "Does the scheduler assign pods?"),
        ("Which machine runs Postgers?", "Which machine runs postgres?"),
        ("Does cargo.lok pin a crate?", "Does Cargo.lock pin a crate?"),
        ("what pins --kep-locks", "what pins --keep-locks"),
        ("Which tasks start with tokio::runtme?", "Which tasks start with tokio::runtime?"),
        (
            "shceduler, pdos, kubelett, contaimers, machne",
            "scheduler, pods, kubelet, containers, machine",
        ),
    ],
)
async def test_an_unknown_word_is_searched_for_as_the_nearest_known_one(
    searcher: Searcher, question: str, better: str
) -> None:
    found = await search(searcher, question)

    assert found.corrected == better
    assert found.hits[0].chunk.document_id in {"scheduler", "kubelet", "database", "lock", "tokio"}


@pytest.mark.parametrize(
    "question",
    [
        "What does the scheduler assign?",
        "What is the capital of France?",
        "schedule the pods",
        "--contaimers",
        "Does it read Cargo.lick?",
        "Does --keep-lock pin a crate?",
        "Does it honour HTTP_PROXY?",
        "Is a crate --fozen-lockers?",
        "What is the difference between Cargo.lok and Cargo.lock?",
        "kube_contaimers and /var/contaimers",
        "--teh and form",
        "Does the scheduler assign pids?",
        "Does the switch speak RTSP?",
        "Does it work with Conifgured?",
        "Does it work with Freezr?",
        "Wo liegt der Schlu\u0308ssel?",
        "Wie beantrage ich Urlaub?",
        "Wo liegen die Schlüsseln?",
    ],
)
async def test_known_words_names_and_identifiers_are_left_alone(
    searcher: Searcher, question: str
) -> None:
    assert (await search(searcher, question)).corrected is None


async def test_a_frequent_word_that_the_documents_lack_is_no_typo(searcher: Searcher) -> None:
    assert (await search(searcher, "Does it freeze the machine?")).corrected is None
    assert (await search(searcher, "Is it in the freezr?")).corrected == "Is it in the freezer?"


async def test_of_near_words_the_one_in_what_was_found_is_meant_else_the_most_frequent(
    searcher: Searcher,
) -> None:
    here = await search(searcher, "Which suport is for the evening?", limit=1)
    elsewhere = await search(searcher, "Is there suport in the freezer?", limit=1)

    assert here.corrected == "Which sport is for the evening?"
    assert elsewhere.corrected == "Is there support in the freezer?"


async def test_what_was_found_is_there_if_spelling_takes_too_long(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "SPELLING_TIMEOUT_S", 0.0)

    found = await search(searcher, "What does the shceduler assign?")

    assert found.corrected is None
    assert found.hits


async def test_a_plain_word_is_meant_if_the_documents_have_another_form_of_it(
    searcher: Searcher,
) -> None:
    assert (await search(searcher, "Is it conifgured?")).corrected == "Is it configured?"
    assert (await search(searcher, "Is it conifgurable?")).corrected is None


async def test_a_correction_never_tells_a_word_that_the_reader_may_not_see(
    searcher: Searcher,
) -> None:
    assert (await search(searcher, "Is the actuatir calibrated?", tier=1)).corrected is None
    hidden = await search(searcher, "Is the actuatir calibrated?", tier=4)
    assert hidden.corrected == "Is the actuator calibrated?"


async def test_a_correction_never_tells_a_word_of_a_chunk_that_its_caller_does_not_show(
    searcher: Searcher,
) -> None:
    found = await searcher.search(
        "docs",
        "Is the actuatir calibrated?",
        3,
        correct_spelling=True,
        may_see=lambda chunk: chunk.document_id != "hidden",
    )

    assert found.corrected is None


async def test_a_chunk_that_its_caller_does_not_show_changes_no_correction(
    searcher: Searcher, ingestor: Ingestor
) -> None:
    question = "What does the shceduler assign?"
    assert (await search(searcher, question)).corrected == "What does the scheduler assign?"
    secrets = [Document(f"secret {n}", "The shceduler, scheduled.", {"tier": 1}) for n in range(9)]
    await ingestor.add("docs", secrets)
    assert (await search(searcher, question)).corrected is None

    found = await searcher.search(
        "docs",
        question,
        3,
        correct_spelling=True,
        may_see=lambda chunk: not chunk.document_id.startswith("secret"),
    )

    assert found.corrected == "What does the scheduler assign?"


async def test_spelling_is_corrected_only_where_that_is_asked_for(searcher: Searcher) -> None:
    found = await searcher.search("docs", "What does the shceduler assign?", 3)

    assert found.corrected is None


def test_variants_are_one_edit_away_and_begin_alike() -> None:
    found = variants("nodes")

    assert {"node", "nodess", "noeds", "noles", "ondes"} <= set(found)
    assert "odes" not in found
    assert "nodes" not in found
    assert len(found) == len(set(found)) < 500


def test_of_a_short_word_two_letters_may_have_changed_places_and_nothing_else() -> None:
    assert variants("wiat") == ["wait", "wita", "iwat"]


def test_of_a_long_word_two_letters_may_be_doubled_or_single() -> None:
    assert "imagepullbackoff" in variants("imagepulbackof")
    assert "committee" in variants("commitee")
    assert "accommodate" in variants("acomodate")
    assert "accommodate" in variants("accomodatte")
    assert "commercial" not in variants("comerciel")
    assert "teell" not in variants("tel")


def test_only_words_that_nothing_found_has_are_doubtful() -> None:
    texts = ["The scheduler assigned pods."]

    assert doubtful_words("How are pods assigned by the shceduler?", texts) == ["shceduler"]
    assert doubtful_words("What? Why? How?", texts) == []


def test_a_small_word_is_known_by_what_no_other_may_be_meant_by() -> None:
    english = misspelt_small_words("english")

    assert {"teh", "wich", "taht", "becuase", "shoud"} <= set(english)
    assert english["wich"] == "which"
    assert "form" in english  # and most documents have it: then it is not looked up
    assert "ther" not in english  # there, or their
    assert misspelt_small_words("german")["nciht"] == "nicht"
    assert misspelt_small_words("klingon") == {}


def test_the_candidate_with_most_forms_in_the_texts_is_the_likeliest_form() -> None:
    texts = ["Configuration, and how to configure it.", "A node, two nodes, no node."]

    assert likeliest_form(["configured", "node"], count_words(texts)) == "node"
    assert likeliest_form(["configured", "node"], count_words(texts[:1])) == "configured"
    assert likeliest_form(["scheduler"], count_words(texts)) is None


def test_the_word_that_the_texts_have_most_often_is_the_likeliest() -> None:
    assert likeliest(["port", "pods"], count_words(["Pods and pods, one port."])) == "pods"
    assert likeliest(["port"], count_words(["Nothing."])) is None
    assert count_words(["Pods and pods, one Port."], only_names=True) == {"pods": 1, "port": 1}


async def test_an_identifier_that_the_reader_may_not_see_is_not_told(searcher: Searcher) -> None:
    question = "How do I start it with --hiden-actuators?"
    assert (await search(searcher, question, tier=1)).corrected is None
    assert (await search(searcher, question)).corrected == (
        "How do I start it with --hidden-actuators?"
    )


def test_only_whole_words_are_replaced() -> None:
    assert corrected("Shceduler, --shceduler", {"shceduler": "scheduler"}) == (
        "scheduler, --shceduler"
    )
    assert corrected("In std::colections.", {"std::colections": "std::collections"}) == (
        "In std::collections."
    )
