"""A large file is read once for its hash, not once for each command."""

import hashlib
from pathlib import Path

import pytest

from sourcebook.providers.inference import weights
from sourcebook.providers.inference.known_hashes import FILE_NAME, MAX_HASHES, KnownHashes
from sourcebook.providers.inference.weights import sha256_of

STATE = (1, 2, 3, 4, 5)


@pytest.fixture(autouse=True)
def _another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered in this process, and a new file counts as old."""
    monkeypatch.setattr(weights, "_HASHES", {})
    monkeypatch.setattr(weights, "MIN_AGE_S", -1.0)


def test_the_next_process_knows_the_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, known = tmp_path / "file", KnownHashes(tmp_path)
    file.write_bytes(b"one")
    first = sha256_of(file, known)
    monkeypatch.setattr(weights, "_HASHES", {})
    monkeypatch.setattr(hashlib, "file_digest", None)

    assert sha256_of(file, known) == first == hashlib.sha256(b"one").hexdigest()


def test_a_file_that_was_replaced_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, known = tmp_path / "file", KnownHashes(tmp_path)
    file.write_bytes(b"one")
    sha256_of(file, known)
    monkeypatch.setattr(weights, "_HASHES", {})
    (tmp_path / "other").write_bytes(b"two")
    (tmp_path / "other").replace(file)

    assert sha256_of(file, known) == hashlib.sha256(b"two").hexdigest()


def test_a_file_that_may_still_change_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "MIN_AGE_S", 60.0)
    (tmp_path / "file").write_bytes(b"one")

    sha256_of(tmp_path / "file", KnownHashes(tmp_path))

    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize("content", [b"", b"not JSON", b"[]", b'{"1-2-3-4-5": 7}'])
def test_a_damaged_file_knows_nothing_and_is_written_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    known = KnownHashes(tmp_path)

    assert known.get(STATE) is None
    known.add(STATE, "abc")
    assert known.get(STATE) == "abc"


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    known = KnownHashes(tmp_path / "missing")

    known.add(STATE, "abc")

    assert known.get(STATE) is None


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    known = KnownHashes(tmp_path)
    for number in range(MAX_HASHES + 1):
        known.add((number, 0, 0, 0, 0), str(number))

    assert known.get((0, 0, 0, 0, 0)) is None
    assert known.get((MAX_HASHES, 0, 0, 0, 0)) == str(MAX_HASHES)
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_what_is_forgotten_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, known = tmp_path / "file", KnownHashes(tmp_path)
    file.write_bytes(b"one")
    about = file.stat()
    known.add(
        (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns), "wrong"
    )
    known.forget()
    monkeypatch.setattr(weights, "_HASHES", {})

    assert sha256_of(file, known) == hashlib.sha256(b"one").hexdigest()
    KnownHashes(tmp_path / "nowhere").forget()
