"""Every scenario of the specifications that is built has a test that names it."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NAMED = re.compile(r'@pytest\.mark\.spec\(\s*"(\d{3} [^"]+)"\s*\)')

SCENARIOS = {
    "001": """
        Load models from YAML config file
        Load models from environment variable
        Config file structure validation
        Model loading at startup
        Model load failure terminates startup
        No embedding models configured
        Download models without starting server
        Health check includes embedding models
        Health check without embedding models
        Node.js provider detects embedding capabilities
        Get model for collection with valid metadata
        Collection missing embedding_model metadata
        Collection references non-loaded model
        Add Documents with Text Only
        Add Documents to Collection Without Embedding Model
        Add Documents with Embedding Model Not Loaded
        Add Documents with Mismatched Embedding Dimensions
        Empty Documents Array
        Document Missing Text Field
        Batch Embedding Generation
        Create Collection with Valid Embedding Model
        Create Collection Without Embedding Model
        Create Collection with Invalid Embedding Model
        Retrieve Collection with Metadata
        Update Collection Metadata
        Retrieve All Collections with Metadata
        First Message Query Strategy
        Follow-up Message Query Strategy
        Pronoun Resolution via Topic Context
        Query Text Selection Logic
        Health check with both models loaded
        Health check with only cross-encoder
        Health check with only embedding models
    """,
    "000": """
        Create Collection with Metadata
        Retrieve Collection with Metadata
        Update Collection Metadata
        Retrieve All Collections with Metadata
        Empty Documents Array
        Simple equality filter
        Multiple field filter (implicit AND)
        Complex filter with operators
        Logical OR operator
        No filter provided
        Pagination with limit and offset
        Empty results
        Collection not found
        Invalid JSON filter
        Limit enforcement
        Sibling gathering use case
    """,
}

WANTED = [
    f"{spec} {line.strip()}"
    for spec, lines in SCENARIOS.items()
    for line in lines.strip().splitlines()
]


@pytest.fixture(scope="module")
def named() -> set[str]:
    return {
        name for path in TESTS.rglob("test_*.py") for name in NAMED.findall(path.read_text("utf-8"))
    }


@pytest.mark.parametrize("scenario", WANTED)
def test_the_scenario_has_a_test(scenario: str, named: set[str]) -> None:
    assert scenario in named
