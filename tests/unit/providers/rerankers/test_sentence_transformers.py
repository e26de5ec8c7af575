import importlib.util
from pathlib import Path

import numpy as np
import pytest

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.rerankers.local_provider import (
    SENTENCE_TRANSFORMERS,
    LocalRerankerSettings,
)
from sourcebook.providers.rerankers.sentence_transformers import SentenceTransformersCrossEncoder
from tests.tiny_models import save_tiny_cross_encoder
from tests.unit.providers.fake_tokenizer import WordTokenizer

MAX_TOKENS = 33


class FakeModel:
    """Counts how often the query's words are in the text, as a CrossEncoder would be called."""

    def __init__(self) -> None:
        self.tokenizer = WordTokenizer()
        self.pairs: list[tuple[str, str]] = []
        self.broken = False

    def predict(self, sentences: list[tuple[str, str]], *, show_progress_bar: bool) -> FloatArray:
        assert not show_progress_bar
        self.pairs += sentences
        scores = [
            sum(text.split().count(word) for word in query.split()) for query, text in sentences
        ]
        return np.array(scores, dtype=np.float32) * (np.nan if self.broken else 1)


async def test_each_text_gets_a_score() -> None:
    encoder = SentenceTransformersCrossEncoder("fake", MAX_TOKENS, FakeModel())
    assert await encoder.score("a b", ["a", "a b", "c", ""]) == [1.0, 2.0, 0.0, 0.0]
    assert await encoder.score("a", []) == []
    assert (await encoder.check()).status == "up"
    encoder.close()


async def test_a_long_text_is_read_to_its_end_and_its_best_piece_counts() -> None:
    model = FakeModel()
    encoder = SentenceTransformersCrossEncoder("fake", MAX_TOKENS, model)
    text = "c " * 100 + "a a a"
    assert await encoder.score("a", [text]) == [3.0]
    assert "".join(piece for _, piece in model.pairs) == text
    encoder.close()


async def test_a_long_query_is_cut_to_half_only_if_the_pair_is_too_long() -> None:
    model = FakeModel()
    encoder = SentenceTransformersCrossEncoder("fake", MAX_TOKENS, model)
    query = " ".join(["q"] * 25)
    await encoder.score(query, ["a", "a " * 10])
    assert [len(asked.split()) for asked, _ in model.pairs] == [25, 15]
    encoder.close()


async def test_a_score_that_is_not_finite_is_refused() -> None:
    model = FakeModel()
    model.broken = True
    encoder = SentenceTransformersCrossEncoder("fake", MAX_TOKENS, model)
    with pytest.raises(Unavailable, match="not finite"):
        await encoder.score("a", ["a"])
    encoder.close()


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="the extra is installed"
)
async def test_without_the_library_the_extra_is_named(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path)
    settings = LocalRerankerSettings.model_validate({"path": str(tmp_path)})
    with pytest.raises(ConfigurationError, match=r"pip install 'sourcebook\[sentence-transf"):
        async with SENTENCE_TRANSFORMERS.open(settings, Opening("st", tmp_path, tmp_path)):
            pass
