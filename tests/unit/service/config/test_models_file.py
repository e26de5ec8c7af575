"""embeddings.yml: read as spec 001 says, refused with an example of how it should look."""

from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference import local_models
from sourcebook.service.config.models_file import ModelEntry, no_models, read_models_file
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.models import bundled_entries, model_entries


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "embeddings.yml"
    path.write_text(content, "utf-8")
    return path


@pytest.mark.spec("001 Load models from YAML config file")
def test_models_are_listed_with_their_aliases(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        embeddings:
          - id: mxbai-large
            path: mixedbread-ai/mxbai-embed-large-v1
          - id: nomic
            path: /models/nomic
            provider: sentence-transformers
            query_prompt: "search_query: "
            document_prompt: "search_document: "
        """,
    )

    assert read_models_file(path) == (
        ModelEntry(id="mxbai-large", path="mixedbread-ai/mxbai-embed-large-v1"),
        ModelEntry(
            id="nomic",
            path="/models/nomic",
            provider="sentence-transformers",
            query_prompt="search_query: ",
            document_prompt="search_document: ",
        ),
    )


@pytest.mark.spec("001 Config file structure validation")
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("models: []", "has no 'embeddings' array"),
        ("", "has no 'embeddings' array"),
        ("- id: a", "has no 'embeddings' array"),
        ("embeddings: minilm", "has no 'embeddings' array"),
        ("embeddings: []", "is empty"),
        ("embeddings: [{path: x}]", "index 0 of the embeddings config: required field 'id'"),
        ("embeddings: [{id: a, path: x}, {id: b}]", "index 1 of the embeddings config: required"),
        ("embeddings: [{id: '', path: x}]", "index 0"),
        ("embeddings: [{id: 5, path: x}]", "index 0"),
        ("embeddings: [minilm]", "must have 'id' and 'path'"),
        ("embeddings: [{id: a, path: x, trust_remote_code: maybe}]", "'trust_remote_code': Input"),
        ("embeddings: [{id: a, path: x}, {id: a, path: y}]", "must be unique; repeated: ['a']"),
        ("embeddings: [", "not valid YAML"),
        ("embeddings: !!python/object/apply:os.system [ls]", "not valid YAML"),
    ],
)
def test_a_bad_file_is_refused_with_an_example(tmp_path: Path, content: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_models_file(write(tmp_path, content))

    assert says in caught.value.message
    assert "embeddings:\n  - id: minilm\n    path: bundled:all-MiniLM-L6-v2" in caught.value.message


def test_a_missing_file_is_refused_with_an_example(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Cannot read the embeddings config") as caught:
        read_models_file(tmp_path / "nowhere.yml")

    assert "embeddings:\n  - id:" in caught.value.message


@pytest.mark.spec("001 No embedding models configured")
def test_no_models_at_all_is_an_error_with_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_models, "BUNDLED_PACKAGE", "a_package_that_nobody_has")
    with pytest.raises(ConfigurationError) as caught:
        model_entries(load_settings())

    assert caught.value.message == no_models().message
    assert "No embedding models configured" in caught.value.message
    assert "embeddings:\n  - id:" in caught.value.message


def test_without_a_config_the_bundled_model_serves_where_it_is_installed() -> None:
    assert model_entries(load_settings()) == bundled_entries()


def test_a_cross_encoder_alone_is_enough() -> None:
    assert model_entries(load_settings(cross_encoder="some/reranker")) == ()


def test_a_key_in_the_file_is_shown_nowhere(tmp_path: Path) -> None:
    key = "a-key-that-nobody-may-see"
    broken = f"embeddings:\n  - id: a\n    api_key: {key}\n   path: x"

    with pytest.raises(ConfigurationError, match=r"not valid YAML \(line 4\)") as caught:
        read_models_file(write(tmp_path, broken))
    (entry,) = read_models_file(
        write(tmp_path, f"embeddings: [{{id: a, path: x, api_key: {key}}}]")
    )

    assert key not in caught.value.message
    assert key not in repr(entry)
    assert entry.config["api_key"] == key
