"""Another tool's vectors are taken only if they are those of a model that is loaded here."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import NotFound
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.transfer.foreign import ForeignPoint
from sourcebook.ingestion.transfer.foreign_import import (
    PlannedCollection,
    RefusedCollection,
    plan_import,
    planned_records,
)
from sourcebook.ingestion.transfer.importer import Importer, ImportReport
from sourcebook.ingestion.transfer.targets import Targets
from sourcebook.ingestion.upkeep.verifier import Verifier
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

TEXTS = ["gears turn", "bees dance in the sun", "bread rises slowly", "volcanoes rise"]


@dataclass(frozen=True, slots=True)
class FakeForeign:
    """A store with one collection."""

    points_held: Sequence[ForeignPoint]
    dimensions: int = 64
    name: str = "pages"
    metadata: Metadata = field(default_factory=dict)

    async def names(self) -> list[str]:
        return [self.name]

    async def collection(self, name: str) -> "FakeForeign":
        if name != self.name:
            raise NotFound(f"There is no collection {name!r}")
        return self

    async def count(self) -> int:
        return len(self.points_held)

    async def points(self) -> AsyncIterator[Sequence[ForeignPoint]]:
        for start in range(0, len(self.points_held), 3):
            yield self.points_held[start : start + 3]


async def filled_by(embedder: FakeEmbedder, *texts: str, **about: str) -> FakeForeign:
    embedded = await embedder.embed_documents(texts)
    points = [
        # Twice as long: another tool need not normalize.
        ForeignPoint(f"p{n}", text, {"n": n}, [2 * value for value in vectors[0]])
        for n, (text, vectors) in enumerate(zip(texts, embedded, strict=True))
    ]
    return FakeForeign(points, embedder.dimensions, metadata=dict(about))


async def planned(
    store: FakeForeign, models: EmbeddingModels, *names: str, **more: str | bool
) -> PlannedCollection | RefusedCollection:
    (one,) = await plan_import(store, names, models, **more)  # type: ignore[arg-type]
    return one


async def copy(
    plan: PlannedCollection | RefusedCollection,
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
) -> ImportReport:
    assert isinstance(plan, PlannedCollection)
    importer = Importer(ledger, store, Targets(ledger, store, models))
    return await importer.take(planned_records([plan]))


async def test_vectors_of_a_loaded_model_are_copied_without_embedding(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, embedder: FakeEmbedder
) -> None:
    foreign = await filled_by(FakeEmbedder(), *TEXTS, owner="ada")

    plan = await planned(foreign, models)
    compared = [text for batch in embedder.batches for text in batch]
    report = await copy(plan, ledger, store, models)

    assert plan.problem is None
    assert report.complete
    assert report.collections["pages"].created == len(TEXTS)
    # Only those that were compared.
    assert [text for batch in embedder.batches for text in batch] == compared
    collection = await ledger.collections.get("pages")
    assert collection.metadata["owner"] == "ada"
    documents = await ledger.documents.get(collection.id, ["p1"])
    assert (documents["p1"].text, documents["p1"].metadata) == (TEXTS[1], {"n": 1})
    assert all(found.clean for found in await Verifier(ledger, store).verify())


async def test_vectors_of_another_model_are_refused(models: EmbeddingModels) -> None:
    foreign = await filled_by(FakeEmbedder(revision="another model"), *TEXTS)

    plan = await planned(foreign, models)

    assert "are not those of 'minilm'" in str(plan.problem)
    assert "--embed" in str(plan.problem)


async def test_refused_vectors_can_be_made_anew(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    foreign = await filled_by(FakeEmbedder(revision="another model"), *TEXTS)

    plan = await planned(foreign, models, embed=True)
    report = await copy(plan, ledger, store, models)

    assert report.collections["pages"].chunks_embedded == len(TEXTS)
    assert all(found.clean for found in await Verifier(ledger, store).verify())


async def test_a_named_model_must_have_the_dimensions(models: EmbeddingModels) -> None:
    foreign = await filled_by(FakeEmbedder(), *TEXTS)

    plan = await planned(foreign, models, model="mxbai-large")

    assert "have 64 dimensions, and those of 'mxbai-large' have 96" in str(plan.problem)


async def test_the_other_tools_own_note_names_the_model() -> None:
    models = EmbeddingModels([FakeEmbedder("one", revision="1"), FakeEmbedder("two")])
    foreign = await filled_by(FakeEmbedder(), *TEXTS, embedding_model="two")

    plan = await planned(foreign, models)

    assert isinstance(plan, PlannedCollection)
    assert plan.embedder.id == "two"
    assert plan.problem is None


async def test_of_two_models_that_fit_one_must_be_named() -> None:
    models = EmbeddingModels([FakeEmbedder("one", revision="1"), FakeEmbedder("two")])

    plan = await planned(await filled_by(FakeEmbedder(), *TEXTS), models)

    assert "--model" in str(plan.problem)
    assert "one (64), two (64)" in str(plan.problem)


async def test_a_point_without_text_is_a_problem_and_the_others_are_copied(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    foreign = await filled_by(FakeEmbedder(), *TEXTS, " ")

    report = await copy(await planned(foreign, models), ledger, store, models)

    (problem,) = report.problems
    assert problem.place == "pages, point p4"
    assert "--text-field" in problem.message
    assert report.stored == len(TEXTS)


@pytest.mark.parametrize("texts", [[], [" ", "\t"]])
async def test_what_has_no_text_to_compare_is_not_trusted(
    models: EmbeddingModels, texts: list[str]
) -> None:
    plan = await planned(await filled_by(FakeEmbedder(), *texts), models)

    assert "to compare" in str(plan.problem)


async def test_an_unknown_collection_is_refused(models: EmbeddingModels) -> None:
    plan = await planned(await filled_by(FakeEmbedder(), *TEXTS), models, "other")

    assert plan == RefusedCollection("other", "There is no collection 'other'")
