from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.local_models import EMBEDDER, locate
from sourcebook.providers.inference.model_folder import (
    read_embedding_folder,
    read_scoring_folder,
)
from sourcebook.providers.inference.tokenizer import WindowTokenizer
from tests.tiny_models import MAX_TOKENS, VOCABULARY, save_tiny_cross_encoder, save_tiny_embedder

CLS, SEP = VOCABULARY["[CLS]"], VOCABULARY["[SEP]"]


def ids(letters: str) -> list[int]:
    return [VOCABULARY[letter] for letter in letters]


@pytest.fixture
def tokenizer(tmp_path: Path) -> WindowTokenizer:
    save_tiny_embedder(tmp_path)
    return WindowTokenizer(read_embedding_folder(tmp_path).model)


def pair_tokenizer(tmp_path: Path, model_type: str) -> WindowTokenizer:
    save_tiny_cross_encoder(tmp_path, model_type)
    return WindowTokenizer(read_scoring_folder(tmp_path))


def test_the_bundled_tokenizer_does_not_cut_at_128_tokens(tmp_path: Path) -> None:
    model = locate("bundled:all-MiniLM-L6-v2", tmp_path, EMBEDDER)
    tokenizer = WindowTokenizer(read_embedding_folder(model.folder).model)
    (windows,) = tokenizer.windows(["word " * 600])
    assert [len(window.ids) for window in windows] == [256, 256, 600 - 2 * 254 + 2]
    assert sum(window.weight for window in windows) == 600


def test_a_text_is_not_padded(tokenizer: WindowTokenizer) -> None:
    ((window,),) = tokenizer.windows(["a b"])
    assert window.ids == [CLS, *ids("ab"), SEP]
    assert window.types == [0, 0, 0, 0]


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_text_is_one_window_of_special_tokens(
    tokenizer: WindowTokenizer, text: str
) -> None:
    ((window,),) = tokenizer.windows([text])
    assert window.ids == [CLS, SEP]
    assert window.weight == 1


def test_every_window_is_wrapped_in_special_tokens(tokenizer: WindowTokenizer) -> None:
    (windows,) = tokenizer.windows(["a b c d e f g h i j k l m"])
    assert [window.ids for window in windows] == [
        [CLS, *ids("abcdefghij"), SEP],
        [CLS, *ids("klm"), SEP],
    ]


def test_every_window_begins_with_the_prompt(tokenizer: WindowTokenizer) -> None:
    (windows,) = tokenizer.windows(["a b c d e f g h i j k"], prompt="q ")
    assert [window.ids for window in windows] == [
        [CLS, *ids("qabcdefghi"), SEP],
        [CLS, *ids("qjk"), SEP],
    ]


def test_a_prompt_that_fills_the_window_is_refused(tokenizer: WindowTokenizer) -> None:
    with pytest.raises(ConfigurationError, match="shorter"):
        tokenizer.windows(["a"], prompt="a b c d e f g ")


def test_a_bert_pair_has_two_token_types(tmp_path: Path) -> None:
    ((window,),) = pair_tokenizer(tmp_path, "bert").pair_windows("a", ["b c"])
    assert window.ids == [CLS, *ids("a"), SEP, *ids("bc"), SEP]
    assert window.types == [0, 0, 0, 1, 1, 1]


def test_a_roberta_pair_has_one_token_type(tmp_path: Path) -> None:
    ((window,),) = pair_tokenizer(tmp_path, "roberta").pair_windows("a", ["b"])
    assert window.ids == [CLS, *ids("a"), SEP, SEP, *ids("b"), SEP]
    assert window.types == [0] * 6


def test_a_long_text_is_paired_with_the_query_in_every_window(tmp_path: Path) -> None:
    tokenizer = pair_tokenizer(tmp_path, "bert")
    (windows,) = tokenizer.pair_windows("a b", ["c d e f g h i j k"])
    assert [window.ids for window in windows] == [
        [CLS, *ids("ab"), SEP, *ids("cdefghi"), SEP],
        [CLS, *ids("ab"), SEP, *ids("jk"), SEP],
    ]


def test_a_query_is_cut_to_half_only_if_the_pair_is_too_long(tmp_path: Path) -> None:
    tokenizer = pair_tokenizer(tmp_path, "bert")
    fits, too_long = tokenizer.pair_windows("a b c d e f g", ["h i", "h i j k l"])
    assert fits[0].ids == [CLS, *ids("abcdefg"), SEP, *ids("hi"), SEP]
    assert [window.ids for window in too_long] == [[CLS, *ids("abcd"), SEP, *ids("hijkl"), SEP]]
    assert len(fits[0].ids) == len(too_long[0].ids) == MAX_TOKENS


def test_a_claim_is_whole_in_every_window_of_its_premise(tmp_path: Path) -> None:
    tokenizer = pair_tokenizer(tmp_path, "bert")
    (windows,) = tokenizer.claim_windows([("c d e f g h i j k", "a b")])
    assert [(window.ids, window.types) for window in windows] == [
        ([CLS, *ids("cdefghi"), SEP, *ids("ab"), SEP], [0] * 9 + [1] * 3),
        ([CLS, *ids("jk"), SEP, *ids("ab"), SEP], [0] * 4 + [1] * 3),
    ]


def test_half_a_claim_is_not_judged(tmp_path: Path) -> None:
    tokenizer = pair_tokenizer(tmp_path, "bert")
    fits, too_long, far_too_long = tokenizer.claim_windows(
        [("a b", "c d e f g h i"), ("a b c", "c d e f g h i"), ("", "a b c d e f g h i j")]
    )
    assert [window.ids for window in fits] == [[CLS, *ids("ab"), SEP, *ids("cdefghi"), SEP]]
    assert too_long == far_too_long == []


def test_a_model_may_have_learnt_with_fewer_separators(tmp_path: Path) -> None:
    tokenizer = pair_tokenizer(tmp_path, "roberta")
    ((usual,),) = tokenizer.claim_windows([("a", "b")])
    ((fewer,),) = tokenizer.claim_windows([("a", "b")], 1)
    assert usual.ids == [CLS, *ids("a"), SEP, SEP, *ids("b"), SEP]
    assert fewer.ids == [CLS, *ids("a"), SEP, *ids("b"), SEP]


def test_a_garbled_tokenizer_is_a_configuration_error(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json cannot be read"):
        WindowTokenizer(read_embedding_folder(tmp_path).model)


def test_a_missing_tokenizer_is_a_configuration_error(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json is missing"):
        WindowTokenizer(read_embedding_folder(tmp_path).model)
