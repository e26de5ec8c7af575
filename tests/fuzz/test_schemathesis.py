"""Requests made from our own OpenAPI document: every answer is one that the document describes."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest
import requests
import schemathesis
from hypothesis import given
from hypothesis import strategies as st
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks

from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from tests.fuzz.profile import trying
from tests.fuzz.targets import Json
from tests.fuzz.world import (
    ADMIN,
    BOOK,
    CHUNK_ID,
    DOCUMENT_ID,
    FILLED,
    LESSON_ID,
    NAMES,
    PROVIDER,
    SESSION_ID,
    WEBHOOK,
    Asked,
    World,
    signed,
)

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
BASE_URL = "http://localhost"
# Without these nearly every generated request would end at a name that nobody knows.
KNOWN: Mapping[str, Json] = {
    "collection": FILLED,
    "collections": [FILLED],
    "embedding_model": "minilm",
    "name": "generated",
    "book_id": "book",
    "parent_doc_id": LESSON_ID,
    "docs_path": ".",
    "ref": "refs/heads/main",
    "payload": '{"ref": "refs/heads/main"}',
    "source": "nas",
    "session_id": SESSION_ID,
    "model": "sourcebook",
}
KNOWN_IN_PATHS = {
    "name": NAMES,
    "book_id": (BOOK,),
    "chunk_id": (CHUNK_ID,),
    "parent_doc_id": (LESSON_ID,),
    "job_id": (1, 2),
    "document_id": (DOCUMENT_ID,),
    "collection": NAMES,
    "session_id": (SESSION_ID,),
    "provider_id": (PROVIDER,),
    "model": ("sourcebook", f"sourcebook/{BOOK}"),
    "path": ("a.md", "a/b.pdf"),
    "page": (1, 2),
    "key": ("book what is a node",),
}

# To describe itself an app needs nothing that is open.
_app = create_app(None, AccessRule(None), origins=[])  # type: ignore[arg-type]
_found = schemathesis.openapi.from_dict(_app.openapi()).get_all_operations()
OPERATIONS = [result.ok() for result in _found if isinstance(result, Ok)]


@st.composite
def cases(draw: st.DrawFn, operation: APIOperation) -> Case:  # type: ignore[type-arg]
    """Requests by the document and against it; half of them name what exists."""
    can_be_wrong = bool(operation.body or operation.query)
    modes = [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if can_be_wrong else [])]
    case = draw(st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes]))
    if draw(st.booleans()):
        case.path_parameters = {
            name: draw(st.sampled_from(KNOWN_IN_PATHS[name])) for name in case.path_parameters
        }
        if isinstance(case.body, dict):
            case.body = {**case.body, **{k: v for k, v in KNOWN.items() if k in case.body}}
    return case


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_generated_request_gets_an_answer_that_is_documented(
    world: World,
    operation: APIOperation,  # type: ignore[type-arg]
) -> None:
    @given(case=cases(operation))
    @trying(short=12, long=950)
    def answers_are_documented(case: Case) -> None:  # type: ignore[type-arg]
        request = requests.Request(**case.as_transport_kwargs(BASE_URL)).prepare()
        case.validate_response(_answer(world, request), checks=CHECKS)

    answers_are_documented()


def _answer(world: World, request: requests.PreparedRequest) -> schemathesis.Response:
    target = urlsplit(str(request.url))
    given = request.body or b""
    assert isinstance(given, str | bytes)
    body = given.encode() if isinstance(given, str) else given
    credentials = signed(body) if target.path.encode() == WEBHOOK else ADMIN
    headers = {
        name.lower().encode(): value if isinstance(value, bytes) else value.encode("latin-1")
        for name, value in request.headers.items()
    }
    asked = Asked(
        str(request.method),
        target.path.encode(),
        target.query.encode(),
        body,
        tuple({b"host": b"localhost", **headers, **dict(credentials)}.items()),
    )
    answer = world.send(asked)
    stored = world.changed()
    assert not (stored and answer.status >= 400), f"A refused request was stored: {asked}"
    return schemathesis.Response(
        status_code=answer.status,
        headers={name.decode(): [value.decode("latin-1")] for name, value in answer.headers},
        content=answer.body,
        request=request,
        elapsed=0.0,
        verify=False,
    )
