"""The admin key is made once, kept to oneself, and never shown."""

from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.admin_key import find_admin_key, keep_admin_key
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings

CONFIGURED = "a-configured-key-1234"


def test_a_key_is_made_once_and_found_again(tmp_path: Path) -> None:
    settings, folder = load_settings(), DataFolder(tmp_path)

    assert find_admin_key(settings, folder) is None
    made = keep_admin_key(settings, folder)
    again = keep_admin_key(settings, folder)

    assert made.made_in == folder.admin_key
    assert (again.value, again.made_in) == (made.value, None)
    assert find_admin_key(settings, folder) == made.value
    assert len(made.value) >= 43
    assert made.value not in repr(made)


def test_the_file_is_for_its_owner_alone_and_no_draft_stays(tmp_path: Path) -> None:
    keep_admin_key(load_settings(), DataFolder(tmp_path))

    assert [path.name for path in tmp_path.iterdir()] == ["admin.key"]
    assert (tmp_path / "admin.key").stat().st_mode & 0o777 == 0o600


def test_a_draft_that_a_crash_left_is_no_obstacle(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = DataFolder(tmp_path / "data")
    folder.root.mkdir()
    (folder.root / "admin.new").symlink_to(outside)

    assert keep_admin_key(load_settings(), folder).made_in is not None
    assert outside.read_text() == "mine"


def test_a_configured_key_wins_and_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADMIN_API_KEY", CONFIGURED)
    key = keep_admin_key(load_settings(), DataFolder(tmp_path))

    assert (key.value, key.made_in) == (CONFIGURED, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff\xfe" * 30])
def test_a_damaged_key_is_named_and_never_replaced_silently(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "admin.key").write_bytes(content)

    with pytest.raises(ConfigurationError, match="Delete the file"):
        keep_admin_key(load_settings(), DataFolder(tmp_path))

    assert (tmp_path / "admin.key").read_bytes() == content
