"""Whatever bytes come: 2xx or 4xx in the dialect, and nothing stored by a refused request."""

from collections.abc import Iterable, Mapping, Sequence

import orjson
import pytest
from hypothesis import given

from tests.fuzz import corpus
from tests.fuzz.mutations import (
    requests_with_bodies,
    requests_with_paths_and_headers,
    requests_with_queries,
)
from tests.fuzz.profile import LONG, trying
from tests.fuzz.targets import PARAMETERS, PATHS_WITH_A_NAME, TARGETS, Target
from tests.fuzz.world import (
    ADMIN,
    CHUNK_ID,
    DOCUMENT_ID,
    HOST,
    JSON,
    LESSON_ID,
    WEBHOOK,
    Asked,
    Headers,
    World,
    assert_good_answer,
    signed,
)

# The short run takes every so many-th request, and begins at another one for each case.
STRIDE = 1 if LONG else 15
SHORT_STRIDE = 1 if LONG else 3
SIGNATURE = b"x-hub-signature-256"
PUT_BODY = b'{"metadata": {}}'
WEBHOOK_BODY = b'{"ref": "refs/heads/main"}'
SIGNATURES: Mapping[str, Headers] = {
    "none": (),
    "empty": ((SIGNATURE, b""),),
    "zeros": ((SIGNATURE, b"sha256=" + b"0" * 64),),
    "raw bytes": ((SIGNATURE, bytes(range(128, 256))),),
    "a digest of bytes": ((SIGNATURE, b"sha256=" + b"\xff" * 64),),
    "a NUL": ((SIGNATURE, b"sha256=" + b"0" * 63 + b"\x00"),),
    "a line break": ((SIGNATURE, b"sha256=" + b"0" * 64 + b"\n"),),
    "very long": ((SIGNATURE, b"sha256=" + b"0" * 100_000),),
    "another algorithm": ((SIGNATURE, b"sha1=" + b"0" * 40),),
    "of nothing, twice": (*signed(b"")[:1], *signed(b"")[:1]),
}
UPLOAD = "multipart/form-data"
_PART = b'--x\r\nContent-Disposition: form-data; name="files"; filename="%b"\r\n\r\n%b\r\n'
UPLOADS = (
    b"",
    b"--x",
    b"--x--\r\n",
    bytes(range(256)),
    b"\x00" * 9_000,
    _PART % (b"a.md", b"# A") + b"--x--\r\n",
    _PART % (b"../../etc/passwd", b"x") + b"--x--\r\n",
    _PART % (b"\xff\x00.md", b"\xff") + b"--x--\r\n",
    _PART % (b"a" * 5_000, b"x") + b"--x--\r\n",
    _PART % (b"a.zip", b"PK\x03\x04broken") + b"--x--\r\n",
    b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\nx\r\n--x--\r\n',
)
ANY_BODY = b'{"metadata": {}, "documents": [{"text": "a"}]}'


def each(cases: Iterable[str]) -> pytest.MarkDecorator:
    """One test for each case."""
    return pytest.mark.parametrize("case", list(cases))


def some(
    requests: Sequence[Asked], cases: Iterable[str], case: str, stride: int
) -> Sequence[Asked]:
    """The requests that this run makes for the case."""
    return requests[list(cases).index(case) % stride :: stride]


def test_the_targets_are_all_routes_that_take_a_json_body(world: World) -> None:
    document = orjson.loads(world.send(Asked("GET", b"/openapi.json")).body)

    taking = {
        f"{method.upper()} {path}"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "requestBody" in operation and UPLOAD not in operation["requestBody"]["content"]
    }
    # MCP speaks JSON-RPC, whose errors have a form of their own.
    assert taking - {"POST /mcp"} == {target.route for target in TARGETS}


@pytest.mark.parametrize("body", UPLOADS)
@pytest.mark.parametrize("boundary", [b"", b"; boundary=x", b"; boundary=", b"; boundary=\xff"])
def test_an_upload_of_any_bytes_is_refused_or_kept(
    world: World, body: bytes, boundary: bytes
) -> None:
    headers = (*HOST, *ADMIN, (b"content-type", UPLOAD.encode() + boundary))

    assert_good_answer(world, Asked("POST", b"/books/uploads/files", b"", body, headers))


@pytest.mark.parametrize("target", TARGETS, ids=[target.route for target in TARGETS])
def test_the_good_bodies_are_accepted(world: World, target: Target) -> None:
    answer = assert_good_answer(world, target.asked(target.good_body))

    assert answer.status == target.accepted


def test_the_ids_of_the_book_and_the_document_are_known(world: World) -> None:
    paths = [b"/context/" + CHUNK_ID.encode(), b"/lesson/" + LESSON_ID.encode()]
    for path in (*paths, b"/api/rag/documents/" + DOCUMENT_ID.encode()):
        assert assert_good_answer(world, Asked("GET", path)).status == 200


@each(SIGNATURES)
def test_a_nasty_signature_is_401(world: World, case: str) -> None:
    headers = HOST + JSON + ((b"x-github-event", b"push"), *SIGNATURES[case])

    for body in (WEBHOOK_BODY, b"{", *corpus.BODIES.values()):
        asked = Asked("POST", WEBHOOK, body=body, headers=headers)
        assert assert_good_answer(world, asked).status == 401


@each(corpus.VALUES)
def test_a_nasty_value_is_survived_in_every_place(world: World, case: str) -> None:
    requests = [
        target.asked(body)
        for target in TARGETS
        for body in target.bodies_around(corpus.VALUES[case])
    ]

    for asked in some(requests, corpus.VALUES, case, STRIDE):
        assert_good_answer(world, asked)


@each(corpus.BODIES)
def test_a_nasty_body_is_refused(world: World, case: str) -> None:
    for target in TARGETS:
        answer = assert_good_answer(world, target.asked(corpus.BODIES[case]))
        assert answer.status == target.refused


@each(corpus.CONTENT_TYPES)
def test_a_nasty_content_type_is_survived(world: World, case: str) -> None:
    headers = HOST + corpus.CONTENT_TYPES[case]

    for target in TARGETS:
        for body in (target.good_body, *corpus.BODIES.values())[::STRIDE]:
            assert_good_answer(world, target.asked(body, headers))


@each(corpus.HEADERS)
def test_nasty_headers_are_survived(world: World, case: str) -> None:
    headers = corpus.HEADERS[case] + JSON
    requests = [
        asked
        for target in TARGETS
        for body in (target.good_body, b"{")
        for asked in (
            target.asked(body, headers),
            Asked(target.method, target.path, body=body, headers=headers),
        )
    ]

    for asked in some(requests, corpus.HEADERS, case, SHORT_STRIDE):
        assert_good_answer(world, asked)
    for path in (
        b"/",
        b"/nowhere",
        b"/collections",
        b"/collections/nobody",
        b"/info",
        b"/api/rag/x",
    ):
        assert_good_answer(world, Asked("GET", path, headers=headers))


@pytest.mark.parametrize("method", corpus.METHODS, ids=lambda method: method[:20])
def test_every_method_gets_an_answer(world: World, method: str) -> None:
    for path in (b"/", b"/nowhere", b"/collections", b"/query", b"/docs", b"/collections/robotics"):
        assert_good_answer(world, Asked(method, path, body=ANY_BODY))
    for path in (b"/api/rag", b"/api/rag/ingest", b"/api/rag/documents", b"/api/rag/metrics"):
        assert_good_answer(world, Asked(method, path, body=ANY_BODY))
    for path in (b"/search", b"/info", b"/ingestion", b"/ingestion/status", WEBHOOK):
        assert_good_answer(world, Asked(method, path, body=ANY_BODY, headers=HOST + JSON + ADMIN))


@each(corpus.QUERY_VALUES)
def test_a_nasty_query_parameter_is_survived(world: World, case: str) -> None:
    for method, path, parameter in PARAMETERS:
        query = parameter + corpus.QUERY_VALUES[case]
        assert_good_answer(world, Asked(method, path, query, PUT_BODY, HOST + JSON + ADMIN))


@each(corpus.QUERIES)
def test_a_nasty_query_string_is_survived(world: World, case: str) -> None:
    for method, path, _ in (*PARAMETERS, ("GET", b"/nowhere", b""), ("PATCH", b"/query", b"")):
        query = corpus.QUERIES[case]
        assert_good_answer(world, Asked(method, path, query, PUT_BODY, HOST + JSON + ADMIN))


@each(corpus.NAMES_IN_PATHS)
def test_a_nasty_path_is_survived(world: World, case: str) -> None:
    bodies = (b"", ANY_BODY)
    # In the short run the two take turns, and begin with the other one for the next case.
    turns = (0, 1) if LONG else (list(corpus.NAMES_IN_PATHS).index(case) % 2,)

    for turn in turns:
        for number, (method, before, after) in enumerate(PATHS_WITH_A_NAME):
            path = before + corpus.NAMES_IN_PATHS[case] + after
            body = bodies[(number + turn) % 2]
            assert_good_answer(world, Asked(method, path, body=body, headers=HOST + JSON + ADMIN))


def test_a_refused_preflight_speaks_the_dialect(world: World) -> None:
    headers: Headers = (
        *HOST,
        (b"origin", b"http://evil.example"),
        (b"access-control-request-method", b"DELETE"),
    )

    answer = assert_good_answer(world, Asked("OPTIONS", b"/collections/robotics", headers=headers))

    assert answer.status == 403


@given(asked=requests_with_bodies())
@trying(short=120, long=35_000)
def test_a_mutated_body_is_survived(world: World, asked: Asked) -> None:
    assert_good_answer(world, asked)


@given(asked=requests_with_queries())
@trying(short=75, long=10_000)
def test_a_mutated_query_string_is_survived(world: World, asked: Asked) -> None:
    assert_good_answer(world, asked)


@given(asked=requests_with_paths_and_headers())
@trying(short=50, long=5_000)
def test_mutated_paths_and_headers_are_survived(world: World, asked: Asked) -> None:
    assert_good_answer(world, asked)
