"""Clients of other projects ask the book, whole and streamed, and read the citation."""

import json
from typing import Any

import pytest

from tests.extras.client_programs import run_node, run_python
from tests.extras.conftest import BLOCK, SENTENCE, BookService

QUESTION = "What is a node of a robot?"
ANSWER = f"{BLOCK} [1]"


@pytest.mark.parametrize(
    ("script", "ways"),
    [
        ("openai_python.py", 2),
        ("langchain_client.py", 1),
        ("llama_index_client.py", 2),
        ("haystack_client.py", 1),
        ("llm_client.py", 1),
        ("ai_sdk.mjs", 3),
    ],
)
def test_a_client_asks_streams_and_reads_the_citation(
    book_service: BookService, script: str, ways: int
) -> None:
    run = run_node if script.endswith(".mjs") else run_python

    shown = [json.loads(line) for line in run(script, book_service.url, QUESTION).splitlines()]

    answers = [one for one in shown if "answer" in one]
    assert len(answers) == ways
    for one in answers:
        assert one["answer"].startswith(ANSWER)
        assert one["streamed"] == one["answer"]
        check_citations(one, book_service)
    for one in shown:
        if "found" in one:
            assert SENTENCE in one["found"]
            check_citations(one, book_service)
        if "dimensions" in one:
            assert one["dimensions"] == 384


def check_citations(shown: dict[str, Any], service: BookService) -> None:
    assert shown["cited"]
    assert all(f"{service.url}/#/read/" in place for place in shown["cited"])
