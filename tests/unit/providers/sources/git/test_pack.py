import io
import zlib

import pytest

from sourcebook.providers.sources.git.pack import CappedPack, PackRefused, check_pack

BLOB, OFS_DELTA, REF_DELTA = 3, 6, 7


def varint(number: int) -> bytes:
    pieces = []
    while number > 0x7F:
        pieces.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*pieces, number])


def header(kind: int, size: int) -> bytes:
    first = kind << 4 | size & 15
    return bytes([first | 0x80]) + varint(size >> 4) if size > 15 else bytes([first])


def entry(kind: int, content: bytes, size: int | None = None, base: bytes = b"") -> bytes:
    declared = len(content) if size is None else size
    return header(kind, declared) + base + zlib.compress(content)


def pack(*entries: bytes) -> io.BytesIO:
    head = b"PACK" + (2).to_bytes(4) + len(entries).to_bytes(4)
    return io.BytesIO(head + b"".join(entries) + bytes(20))


def test_a_sound_pack_passes_and_is_left_at_its_beginning() -> None:
    delta = varint(5) + varint(900) + b"xyz"
    file = pack(
        entry(BLOB, b""),
        entry(BLOB, b"x" * 1000),
        entry(OFS_DELTA, delta, base=b"\x81\x05"),
        entry(REF_DELTA, delta, base=bytes(20)),
        entry(BLOB, bytes(range(256)) * 4),
    )
    check_pack(file, 1024)
    assert file.tell() == 0


def test_an_object_that_declares_a_great_size_is_refused_without_unpacking() -> None:
    with pytest.raises(PackRefused, match="10737418240 bytes"):
        check_pack(pack(entry(BLOB, b"x", size=10 * 1024**3)))


def test_a_pack_that_would_be_too_much_unpacked_is_refused() -> None:
    many = pack(*[entry(BLOB, b"x" * 1_000)] * 5)

    check_pack(many, max_unpacked_bytes=5_000)
    with pytest.raises(PackRefused, match="too many"):
        check_pack(many, max_unpacked_bytes=4_999)


def test_an_object_that_is_larger_than_it_says_is_refused() -> None:
    with pytest.raises(PackRefused, match="larger than it says"):
        check_pack(pack(entry(BLOB, b"x" * 100_000, size=10)))


@pytest.mark.parametrize(("kind", "base"), [(OFS_DELTA, b"\x05"), (REF_DELTA, bytes(20))])
def test_a_delta_that_grows_without_end_is_refused(kind: int, base: bytes) -> None:
    delta = varint(1) + varint(5 * 1024**3) + b"xyz"
    with pytest.raises(PackRefused, match="5368709120 bytes"):
        check_pack(pack(entry(kind, delta, base=base)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PACK",
        b"<html>not a pack</html>",
        pack(entry(BLOB, b"x" * 99)).getvalue()[:18],
        b"PACK" + (2).to_bytes(4) + (9).to_bytes(4),
        pack(header(BLOB, 5) + b"not compressed").getvalue(),
    ],
)
def test_what_is_no_pack_is_refused(content: bytes) -> None:
    with pytest.raises(PackRefused):
        check_pack(io.BytesIO(content))


def test_no_more_is_received_than_the_limit() -> None:
    file = io.BytesIO()
    capped = CappedPack(file, 10)
    capped.write(b"x" * 10)
    with pytest.raises(PackRefused):
        capped.write(b"x")
    assert len(file.getvalue()) == 10
