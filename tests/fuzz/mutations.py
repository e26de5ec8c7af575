"""Strategies that start from good or nasty requests and break them further."""

from collections.abc import Mapping
from typing import TypeVar

from hypothesis import strategies as st

from tests.fuzz import corpus
from tests.fuzz.targets import PARAMETERS, PATHS_WITH_A_NAME, TARGETS, Target
from tests.fuzz.world import ADMIN, HOST, JSON, Asked, Headers

T = TypeVar("T")

LONGEST = 70_000

_TOKENS = (b"{", b"}", b"[", b"]", b":", b",", b'"', b"\\", b"\\u", b"\\ud800", b"\x00", b"\xff")
_ODD = (*_TOKENS, b"\xed\xa0\x80", b"\xc0\x80", b"\xef\xbb\xbf", b"-", b"1e999", b"NaN", b"null")


def values() -> st.SearchStrategy[bytes]:
    """A nasty value, a small one so that many can be tried."""
    nasty = {name: value for name, value in corpus.VALUES.items() if len(value) < LONGEST}
    return st.one_of(_one_of(nasty), _one_of(nasty), st.binary(max_size=20))


@st.composite
def mutated(draw: st.DrawFn, start: bytes) -> bytes:
    """The bytes after a few edits: something cut, doubled, replaced or put in."""
    found = start
    for _ in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(found)))
        end = draw(st.integers(begin, min(len(found), begin + 40)))
        middle = draw(
            st.one_of(
                st.just(b""),
                st.just(found[begin:end] * 2),
                st.sampled_from(_ODD),
                st.binary(max_size=8),
            )
        )
        found = found[:begin] + middle + found[end:]
    return found


@st.composite
def requests_with_bodies(draw: st.DrawFn) -> Asked:
    """A body that is nearly right, to each route that takes one."""
    target = draw(st.sampled_from(TARGETS))
    body = draw(st.one_of(_holed(target), _holed(target), _one_of(corpus.BODIES)))
    odd_headers = _one_of(corpus.CONTENT_TYPES).map(HOST.__add__)
    headers = draw(st.one_of(st.just(HOST + JSON), st.just(HOST + JSON), odd_headers))
    return target.asked(draw(mutated(body)), headers)


@st.composite
def requests_with_queries(draw: st.DrawFn) -> Asked:
    """Raw bytes in the query string, mostly in the value of a parameter that exists."""
    method, path, parameter = draw(st.sampled_from(PARAMETERS))
    value = draw(st.one_of(_one_of(corpus.QUERY_VALUES), values(), st.binary(max_size=20)))
    query = draw(mutated(parameter + value))
    return Asked(method, path, query, b'{"metadata": {}}', HOST + JSON + ADMIN)


@st.composite
def requests_with_paths_and_headers(draw: st.DrawFn) -> Asked:
    """Any method, an odd name in the path, odd headers."""
    right, before, after = draw(st.sampled_from(PATHS_WITH_A_NAME))
    encoded = st.binary(max_size=12).map(_percent_encoded)
    name = draw(st.one_of(_one_of(corpus.NAMES_IN_PATHS), encoded))
    raw = st.tuples(st.just(b"x-any"), st.binary(max_size=40))
    headers = draw(_one_of(corpus.HEADERS))
    more: Headers = tuple(draw(st.lists(raw, max_size=3)))
    method = draw(st.one_of(st.just(right), st.sampled_from(corpus.METHODS)))
    headers += JSON + draw(st.sampled_from([ADMIN, ()])) + more
    return Asked(method, before + name + after, headers=headers, body=b"{}")


def _holed(target: Target) -> st.SearchStrategy[bytes]:
    return values().flatmap(lambda value: st.sampled_from(list(target.bodies_around(value))))


def _one_of(cases: Mapping[str, T]) -> st.SearchStrategy[T]:
    return st.sampled_from(list(cases.values()))


def _percent_encoded(raw: bytes) -> bytes:
    return b"".join(b"%%%02x" % byte for byte in raw)
