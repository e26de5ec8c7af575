import math
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from sourcebook.core.errors import ConfigurationError, EmbeddingFailed
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.openvino import (
    KNOWN_OUTPUTS,
    PROBES,
    OpenVinoEmbedder,
    open_openvino_embedder,
)
from sourcebook.providers.inference.known_outputs import known_outputs
from sourcebook.providers.inference.local_models import BUNDLED, BUNDLED_MODEL, BUNDLED_SHA256
from sourcebook.providers.inference.openvino_runtime import Precision
from tests.tiny_models import HIDDEN, MAX_TOKENS, VOCABULARY, save_tiny_embedder
from tests.unit.providers import numpy_bert

CLS, SEP = VOCABULARY["[CLS]"], VOCABULARY["[SEP]"]


def opened(
    path: Path | str,
    model_id: str = "tiny",
    precision: Precision | None = None,
    models_dir: Path = Path("none"),
    **prompts: str,
) -> AbstractAsyncContextManager[OpenVinoEmbedder]:
    settings = LocalEmbedderSettings.model_validate({"path": str(path), **prompts})
    opening = Opening(model_id, data_dir=models_dir, models_dir=models_dir)
    return open_openvino_embedder(settings, opening, precision=precision)


def framed(letters: str) -> list[int]:
    return [CLS, *(VOCABULARY[letter] for letter in letters), SEP]


def spaced(letters: str) -> str:
    return " ".join(letters)


@pytest.fixture
async def tiny(tmp_path: Path) -> AsyncIterator[OpenVinoEmbedder]:
    save_tiny_embedder(tmp_path / "tiny")
    async with opened(tmp_path / "tiny", precision="f32") as embedder:
        yield embedder


async def test_what_is_known_of_the_bundled_model_is_what_it_computes() -> None:
    async with opened(f"{BUNDLED}{BUNDLED_MODEL}", precision="f32") as embedder:
        embeddings = await embedder.embed_documents(PROBES)
    known = known_outputs(KNOWN_OUTPUTS, BUNDLED_SHA256)

    assert known is not None
    np.testing.assert_allclose([one[0] for one in embeddings], known, atol=1e-4)


@pytest.mark.spec("001 Model loading at startup")
@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
@pytest.mark.parametrize("model_type", ["bert", "roberta", "xlm-roberta"])
async def test_the_graph_computes_what_bert_computes(
    tmp_path: Path, model_type: str, pooling: str
) -> None:
    tensors = save_tiny_embedder(tmp_path, model_type, pooling)
    texts = ["abc", "", "zyxwvutsr", "q", "hello"]
    async with opened(tmp_path, precision="f32") as embedder:
        embeddings = await embedder.embed_documents([spaced(text) for text in texts])
        query = await embedder.embed_query("a b c")
    first_position = 0 if model_type == "bert" else 1
    expected = [numpy_bert.embed(tensors, framed(text), pooling, first_position) for text in texts]
    assert [len(embedding) for embedding in embeddings] == [1] * len(texts)
    np.testing.assert_allclose([e[0] for e in embeddings], expected, atol=1e-4)
    np.testing.assert_allclose(query, expected[0], atol=1e-4)


async def test_the_model_describes_itself(tiny: OpenVinoEmbedder) -> None:
    assert (tiny.id, tiny.name) == ("tiny", "tiny")
    assert (tiny.dimensions, tiny.max_tokens) == (HIDDEN, MAX_TOKENS)
    assert (await tiny.check()).status == "up"


async def test_vectors_are_plain_lists_of_unit_length(tiny: OpenVinoEmbedder) -> None:
    ((vector,),) = await tiny.embed_documents(["a b c"])
    assert type(vector) is list
    assert type(vector[0]) is float
    assert math.fsum(value * value for value in vector) == pytest.approx(1, abs=1e-5)


async def test_no_texts_give_no_embeddings(tiny: OpenVinoEmbedder) -> None:
    assert await tiny.embed_documents([]) == []


async def test_a_query_has_one_vector_however_long_it_is(tiny: OpenVinoEmbedder) -> None:
    assert len(await tiny.embed_query("a b c " * 500)) == HIDDEN


async def test_prompts_of_the_folder_are_put_before_texts(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path / "plain")
    save_tiny_embedder(tmp_path / "prompted", prompts={"query": "q ", "document": "d "})
    async with (
        opened(tmp_path / "plain", "a", precision="f32") as plain,
        opened(tmp_path / "prompted", "b", precision="f32") as prompted,
        opened(tmp_path / "prompted", "c", precision="f32", query_prompt="x ") as explicit,
    ):
        assert await prompted.embed_query("a") == await plain.embed_query("q a")
        assert await prompted.embed_documents(["a"]) == await plain.embed_documents(["d a"])
        assert await explicit.embed_query("a") == await plain.embed_query("x a")
        assert await explicit.embed_documents(["a"]) == await plain.embed_documents(["d a"])
        assert len({plain.revision, prompted.revision, explicit.revision}) == 3


async def test_the_revision_depends_on_weights_and_not_on_alias_or_precision(
    tmp_path: Path,
) -> None:
    save_tiny_embedder(tmp_path / "one", seed=1)
    save_tiny_embedder(tmp_path / "two", seed=2)
    async with (
        opened(tmp_path / "one", "a", precision="f32") as exact,
        opened(tmp_path / "one", "b") as fast,
        opened(tmp_path / "two", "a") as other,
    ):
        assert exact.revision == fast.revision
        assert exact.revision != other.revision


async def test_a_model_that_gives_no_finite_numbers_is_found_out(tmp_path: Path) -> None:
    tensors = save_tiny_embedder(tmp_path)
    tensors["embeddings.LayerNorm.bias"][:] = np.nan
    save_file(tensors, tmp_path / "model.safetensors")
    async with opened(tmp_path, precision="f32") as embedder:
        with pytest.raises(EmbeddingFailed, match="not finite"):
            await embedder.embed_documents(["a"])
        with pytest.raises(EmbeddingFailed, match="not finite"):
            await embedder.embed_query("a")


@pytest.mark.spec("001 Model load failure terminates startup")
async def test_weights_that_do_not_fit_the_config_are_refused(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    config = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(config.replace(f": {HIDDEN}", ": 32"))
    with pytest.raises(ConfigurationError, match="do not have the shapes"):
        async with opened(tmp_path):
            pass


@pytest.mark.spec("001 Model load failure terminates startup")
async def test_a_bundled_model_with_another_hash_is_refused(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path / "all-MiniLM-L6-v2")
    with pytest.raises(ConfigurationError, match="run `sourcebook models install`"):
        async with opened("bundled:all-MiniLM-L6-v2", "minilm", models_dir=tmp_path):
            pass


async def test_a_closed_embedder_says_so(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    async with opened(tmp_path) as embedder:
        pass
    assert (await embedder.check()).status == "down"
    with pytest.raises(EmbeddingFailed):
        await embedder.embed_query("a")


@pytest.mark.spec("001 Model loading at startup")
async def test_a_folder_is_opened_under_its_alias_and_its_name(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path / "my-model")
    async with opened(tmp_path / "my-model", "mine") as embedder:
        assert isinstance(embedder, OpenVinoEmbedder)
        assert (embedder.id, embedder.name, embedder.dimensions) == ("mine", "my-model", HIDDEN)
        assert len(await embedder.embed_query("a b c")) == HIDDEN


async def test_prompts_of_the_entry_are_used(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    async with (
        opened(tmp_path, "a") as plain,
        opened(tmp_path, "b", document_prompt="d ") as prompted,
    ):
        assert plain.revision != prompted.revision
