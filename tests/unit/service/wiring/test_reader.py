"""The bundled reader is there unless it is off, another is named, or its base model is missing."""

from pathlib import Path

import pytest

from sourcebook.core.documents import Span
from sourcebook.core.errors import ConfigurationError
from sourcebook.core.readings import ReadablePassage
from sourcebook.providers.inference import local_models
from sourcebook.providers.readers.adapter import read_adapter, reader_folder
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.models import open_reader

TEXT = "The Wren weighs 4 kg. Its hand has five fingers."
PASSAGE = ReadablePassage("Wren", TEXT, (Span(0, 21), Span(22, len(TEXT))))


async def test_the_bundled_reader_tells_an_answer_from_a_near_miss(tmp_path: Path) -> None:
    async with open_reader(load_settings(), DataFolder(tmp_path)) as reader:
        assert reader is not None
        [heavy] = await reader.read("How heavy is the Wren?", [PASSAGE])
        [fingers] = await reader.read("How many fingers does the hand have?", [PASSAGE])
        [cost] = await reader.read("What does the Wren cost?", [PASSAGE])

    assert heavy.relevance > 0 > cost.relevance
    assert fingers.relevance > 0
    assert heavy.answers.index(max(heavy.answers, key=lambda one: one or 0.0)) == 0
    assert fingers.answers.index(max(fingers.answers, key=lambda one: one or 0.0)) == 1


def test_the_bundled_reader_is_small() -> None:
    read_adapter("bundled")

    assert sum(file.stat().st_size for file in reader_folder("bundled").iterdir()) < 8_000_000


async def test_off_there_is_no_reader(tmp_path: Path) -> None:
    async with open_reader(load_settings(reader="off"), DataFolder(tmp_path)) as reader:
        assert reader is None


async def test_without_its_base_model_there_is_no_reader_unless_one_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_models, "BUNDLED_PACKAGE", "not_installed")

    async with open_reader(load_settings(), DataFolder(tmp_path)) as reader:
        assert reader is None
    with pytest.raises(ConfigurationError, match=r"Reader 'bundled' failed to load.*not installed"):
        async with open_reader(load_settings(reader="bundled"), DataFolder(tmp_path)):
            pass


async def test_a_folder_that_is_no_reader_is_an_error(tmp_path: Path) -> None:
    settings = load_settings(reader=str(tmp_path / "nowhere"))

    with pytest.raises(ConfigurationError, match=r"failed to load.*SOURCEBOOK_READER takes"):
        async with open_reader(settings, DataFolder(tmp_path)):
            pass
