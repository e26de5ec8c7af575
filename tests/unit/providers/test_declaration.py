"""A declaration may name what opens the provider, so that nothing heavy is imported before."""

import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from sourcebook.providers.declaration import Opening, Provider

OPENING = Opening("mine", data_dir=Path("data"), models_dir=Path("models"))
LAZY = """
from contextlib import asynccontextmanager


@asynccontextmanager
async def open_it(settings, opening):
    yield f"{settings.word} as {opening.id}"
"""


class Settings(BaseModel):
    word: str = "opened"


async def test_the_module_that_opens_it_is_imported_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lazily_opened.py").write_text(LAZY)
    monkeypatch.syspath_prepend(tmp_path)

    provider: Provider[Settings, str] = Provider(Settings, "lazily_opened:open_it")
    assert "lazily_opened" not in sys.modules

    async with provider.open(Settings(), OPENING) as opened:
        assert opened == "opened as mine"
    del sys.modules["lazily_opened"]


@pytest.mark.parametrize("name", ["", "module", "module:", ":function"])
def test_a_name_of_another_form_is_refused_at_once(name: str) -> None:
    with pytest.raises(ValueError, match="module:function"):
        Provider(Settings, name)
