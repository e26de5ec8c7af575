"""The OpenAPI document says what every route can answer."""

import pytest

from sourcebook.service.http.app import openapi_document

ERRORS = {
    "book": "BookErrorOut",
    "ingestion": "BookErrorOut",
    "books": "BookErrorOut",
    "collections": "ErrorOut",
    "documents": "RagErrorOut",
    "chat": "ChatErrorOut",
    "feedback": "ChatErrorOut",
    "providers": "ProvidersErrorOut",
    "health": "ChatErrorOut",
    "web": "ChatErrorOut",
    "openai": "OpenAiErrorOut",
    "mcp": "ChatErrorOut",
}
OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, operations in openapi_document()["paths"].items()
    for method, operation in operations.items()
]


def test_one_document_has_the_routes_for_agents_and_for_other_sites() -> None:
    assert {"POST /mcp", "GET /widget.js"} <= dict(OPERATIONS).keys()


@pytest.mark.spec("004 SC-008")
def test_every_route_documents_its_500_in_the_words_of_its_contract() -> None:
    found = {
        name: operation["responses"]["500"]["content"]["application/json"]["schema"]["$ref"]
        for name, operation in OPERATIONS
    }
    expected = {name: ERRORS[operation["tags"][0]] for name, operation in OPERATIONS}
    expected["POST /api/chat"] = "RagChatErrorOut"

    assert {name: ref.rpartition("/")[2] for name, ref in found.items()} == expected


def test_every_route_that_writes_documents_that_an_origin_may_be_refused() -> None:
    for name, operation in OPERATIONS:
        assert ("403" in operation["responses"]) == (not name.startswith("GET ")), name


def test_what_a_route_refuses_has_one_form() -> None:
    (search,) = [operation for name, operation in OPERATIONS if name == "POST /api/rag/search"]
    refs = {
        status: reply["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for status, reply in search["responses"].items()
        if status in {"400", "500", "503"}
    }

    assert refs == {"400": "InvalidOut", "500": "RagErrorOut", "503": "RagErrorOut"}
