"""A data folder belongs to one process."""

import json
import os
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.data_folder import (
    FolderInUse,
    Owner,
    announce,
    own_data_folder,
    read_owner,
)


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


def test_an_owner_that_begins_to_serve_says_where(tmp_path: Path) -> None:
    with own_data_folder(tmp_path, command="sourcebook ingest --watch") as folder:
        before = read_owner(folder)
        announce(folder, "http://127.0.0.1:4000")
        serving = read_owner(folder)
        announce(folder, None)

        assert (before.pid, before.url) == (os.getpid(), None)
        assert serving == replace(before, url="http://127.0.0.1:4000")
        assert read_owner(folder) == before


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://127.0.0.1:4000", r"(`sourcebook ingest`), serving http://127.0.0.1:4000"),
        ("http://127.0.0.1:4000", "go through that one"),
        (None, "A data folder belongs to one process: stop that one"),
    ],
)
def test_what_to_do_about_another_owner_depends_on_whether_it_serves(
    tmp_path: Path, url: str | None, says: str
) -> None:
    with own_data_folder(tmp_path) as folder:
        another = Owner(pid=1, url=url, command="sourcebook ingest")
        folder.owner.write_text(json.dumps(asdict(another)))
        with pytest.raises(FolderInUse, match=re.escape(says)) as caught, own_data_folder(tmp_path):
            pass

    assert caught.value.owner == another
    assert "--data-dir" in caught.value.message
