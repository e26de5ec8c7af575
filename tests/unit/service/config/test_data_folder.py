"""A data folder belongs to one process."""

from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.data_folder import FolderInUse, own_data_folder


def test_a_second_owner_is_refused_and_told_who_has_it(tmp_path: Path) -> None:
    root = tmp_path / "data"
    with (
        own_data_folder(root, "http://127.0.0.1:8000"),
        pytest.raises(FolderInUse, match="in use by process") as caught,
        own_data_folder(root),
    ):
        pass

    assert caught.value.url == "http://127.0.0.1:8000"
    assert caught.value.url in caught.value.message
    assert "--data-dir" in caught.value.message


@pytest.mark.parametrize("said", ["", "[]", "{}", "null"])
def test_an_owner_that_does_not_say_who_it_is_still_counts(tmp_path: Path, said: str) -> None:
    with own_data_folder(tmp_path) as folder:
        folder.owner.write_text(said)
        with pytest.raises(FolderInUse, match="another process"), own_data_folder(tmp_path):
            pass


def test_the_folder_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with own_data_folder(tmp_path / "data") as folder:
            assert folder.owner.exists()
        assert not folder.owner.exists()


def test_the_folder_is_private(tmp_path: Path) -> None:
    with own_data_folder(tmp_path / "data") as folder:
        assert folder.root.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with (
        pytest.raises(ConfigurationError, match="cannot be used"),
        own_data_folder(tmp_path / "file" / "data"),
    ):
        pass
