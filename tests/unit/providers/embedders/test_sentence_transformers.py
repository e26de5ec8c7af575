import importlib.util
from pathlib import Path

import numpy as np
import pytest

from sourcebook.core.errors import ConfigurationError, EmbeddingFailed
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import (
    SENTENCE_TRANSFORMERS,
    SentenceTransformersSettings,
)
from sourcebook.providers.embedders.model_description import ModelDescription
from sourcebook.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from sourcebook.providers.inference.local_models import LocatedModel
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.torch_models import loading_errors, weights_digest
from sourcebook.providers.inference.weights import FloatArray
from tests.tiny_models import save_tiny_embedder
from tests.unit.providers.fake_tokenizer import WordTokenizer

MAX_TOKENS = 20


class FakeModel:
    """Counts letters a and b of each text, as a SentenceTransformer would be called."""

    def __init__(self) -> None:
        self.tokenizer = WordTokenizer()
        self.calls: list[tuple[list[str], str]] = []
        self.broken = False

    def encode(
        self,
        sentences: list[str],
        *,
        prompt: str,
        normalize_embeddings: bool,
        show_progress_bar: bool,
    ) -> FloatArray:
        assert normalize_embeddings
        assert not show_progress_bar
        if self.broken:
            raise RuntimeError("out of memory")
        self.calls.append((sentences, prompt))
        counts = [[1 + text.count("a"), 1 + text.count("b")] for text in sentences]
        vectors = np.array(counts, dtype=np.float32)
        unit: FloatArray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def embedder_of(model: FakeModel, prompts: Prompts | None = None) -> SentenceTransformersEmbedder:
    description = ModelDescription("st", "model", 2, MAX_TOKENS, "1")
    return SentenceTransformersEmbedder(description, prompts or Prompts(), model)


@pytest.mark.spec("001 Batch Embedding Generation")
async def test_a_batch_is_one_call() -> None:
    model = FakeModel()
    embedder = embedder_of(model)
    embeddings = await embedder.embed_documents(["a", "b", ""])
    assert [len(embedding) for embedding in embeddings] == [1, 1, 1]
    assert model.calls == [(["a", "b", ""], "")]
    assert await embedder.embed_documents([]) == []
    embedder.close()


async def test_prompts_are_handed_to_the_library() -> None:
    model = FakeModel()
    embedder = embedder_of(model, Prompts(query="q: ", document="d: "))
    await embedder.embed_query("a")
    await embedder.embed_documents(["a"])
    assert model.calls == [(["a"], "q: "), (["a"], "d: ")]
    embedder.close()


async def test_a_long_text_is_embedded_to_its_end_in_several_vectors() -> None:
    model = FakeModel()
    embedder = embedder_of(model)
    text = "a " * 50 + "b " * 50
    ((*vectors,),) = await embedder.embed_documents([text])
    assert "".join(model.calls[0][0]) == text
    assert len(vectors) > 1
    assert vectors[0][0] > vectors[0][1]
    assert vectors[-1][1] > vectors[-1][0]
    assert len(await embedder.embed_query(text)) == 2
    embedder.close()


async def test_errors_of_the_library_become_ours() -> None:
    model = FakeModel()
    model.broken = True
    embedder = embedder_of(model)
    with pytest.raises(EmbeddingFailed, match="Embedding with 'st' failed: RuntimeError"):
        await embedder.embed_documents(["a"])
    embedder.close()


async def test_vectors_of_another_shape_are_refused() -> None:
    model = FakeModel()
    description = ModelDescription("st", "model", 3, MAX_TOKENS, "1")
    embedder = SentenceTransformersEmbedder(description, Prompts(), model)
    with pytest.raises(EmbeddingFailed, match=r"shape \(1, 2\), not \(1, 3\)"):
        await embedder.embed_query("a")
    embedder.close()


def test_a_slow_tokenizer_is_refused() -> None:
    model = FakeModel()
    model.tokenizer.is_fast = False
    with pytest.raises(ConfigurationError, match="slow tokenizer"):
        embedder_of(model)


class FakeTensor:
    """Numbers with the three methods of a tensor that are used."""

    def __init__(self, *values: float) -> None:
        self._values = np.array(values, dtype=np.float32)

    def float(self) -> "FakeTensor":
        return self

    def cpu(self) -> "FakeTensor":
        return self

    def numpy(self) -> FloatArray:
        return self._values


def test_the_digest_tells_weights_apart() -> None:
    one = weights_digest({"a": FakeTensor(1), "b": FakeTensor(2)})
    assert one == weights_digest({"b": FakeTensor(2), "a": FakeTensor(1)})
    assert one != weights_digest({"a": FakeTensor(1), "b": FakeTensor(3)})


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="the extra is installed"
)
async def test_without_the_library_the_extra_is_named(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    settings = SentenceTransformersSettings.model_validate({"path": str(tmp_path)})
    with pytest.raises(ConfigurationError, match=r"pip install 'sourcebook\[sentence-transf"):
        async with SENTENCE_TRANSFORMERS.open(settings, Opening("st", tmp_path, tmp_path)):
            pass


async def test_a_model_with_code_of_its_own_names_the_option(tmp_path: Path) -> None:
    """Even if the library would run it: some versions do so for a folder."""
    save_tiny_embedder(tmp_path)
    (tmp_path / "modules.json").write_text('[{"path": "", "type": "own.Transformer"}]')
    settings = SentenceTransformersSettings.model_validate({"path": str(tmp_path)})

    with pytest.raises(ConfigurationError, match="set `trust_remote_code: true` for it"):
        async with SENTENCE_TRANSFORMERS.open(settings, Opening("st", tmp_path, tmp_path)):
            pass


def test_an_error_of_the_library_about_code_names_the_option() -> None:
    with (
        pytest.raises(ConfigurationError, match=r"'x' needs Python code .* Trust it"),
        loading_errors(LocatedModel("x", Path("x")), "Trust it"),
    ):
        raise ValueError("Please pass the argument `trust_remote_code=True` to allow it")


def test_a_broken_folder_is_named_with_what_is_wrong_and_what_to_do() -> None:
    model = LocatedModel("mine", Path("/models/mine"))

    with pytest.raises(ConfigurationError) as told, loading_errors(model, ""):
        raise KeyError("name")

    assert "'mine' could not be loaded" in told.value.message
    assert "'/models/mine' (KeyError: 'name')" in told.value.message
    assert "download the model again" in told.value.message
