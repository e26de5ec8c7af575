"""What a page shows is compared with what was printed, but for what differs from run to run."""

import pytest

from tests.docs_check.compare import difference

UUIDS = ("0b8a3c1e-6f2d-4c5b-9a7e-1234567890ab", "11111111-6f2d-4c5b-9a7e-1234567890ab")


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("done in 1.2 s\n", "done in 34.5 s"),
        (f"--session {UUIDS[0]}", f"--session {UUIDS[1]}\n"),
        ("23 files, […]", "23 files, 36 chunks\nand more"),
        ("[1, 2]\n[3]", "[1, 2]\n[3]\n"),
        ("one  two", "one two  \n"),
        ('{"a": 1, […]}', '{"b": [2], "a": 1}'),
        ('{"sources": […], "score": 0.55}', '{"score":0.5512,"sources":[{"x":1},2]}'),
        ('{"id": "88e7…", "query_time_ms": 4.5}', '{"id": "88e7aa", "query_time_ms": 99.0}'),
        ('{"id": "88e7…"}', '{"id": "88e7c05de6bb216026a357df297e2baf"}'),
        ('{"all": {…}}', '{"all": {"x": 1}}'),
    ],
)
def test_what_may_differ_is_equal(shown: str, printed: str) -> None:
    assert difference(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed", "says"),
    [
        ("23 files", "24 files", "-23 files\n+24 files"),
        ("23 files", "23 files\nand more", "+and more"),
        ('{"a": 1}', '{"a": 1, "b": 2}', "the reply also has b"),
        ('{"a": 1, […]}', '{"b": 2}', "the reply has no a"),
        ('{"a": [{"b": 0.5}]}', '{"a": [{"b": 0.61}]}', "the reply.a[0].b is 0.61"),
        ('{"a": [1]}', '{"a": [1, 2]}', "the reply.a has 2 items"),
        ('{"a": true}', '{"a": 1}', "the reply.a is 1"),
        ('{"a": 1}', "no", "This is no JSON"),
    ],
)
def test_what_differs_is_named(shown: str, printed: str, says: str) -> None:
    assert says in (difference(shown, printed) or "")
