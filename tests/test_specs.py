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
        RAG Provider Registration
        RAG Provider Discovery
        RAG Provider Selection
        Provider Initialization with Schema
        Provider Capabilities Declaration
        Health Check with Details
        First Message Query Strategy
        Follow-up Message Query Strategy
        Pronoun Resolution via Topic Context
        Query Text Selection Logic
        Embedding Cache Efficiency
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
    # SC-001 and SC-003 are about speed: bench/ shows them.
    "002": """
        US1.1
        US1.2
        US1.3
        US2.1
        US2.2
        US2.3
        US3.1
        US3.2
        US4.1
        US4.2
        US5.1
        US5.2
        FR-001
        FR-002
        FR-003
        FR-004
        FR-005
        FR-006
        FR-007
        FR-008
        FR-009
        FR-010
        FR-011
        FR-012
        FR-013
        FR-014
        FR-015
        FR-016
        FR-016a
        FR-016b
        FR-017
        FR-018
        FR-019
        FR-020
        FR-021
        FR-022
        FR-023
        FR-024
        FR-025
        FR-026
        SC-002
        SC-004
        SC-005
        SC-006
        SC-007
        SC-008
        Eval-001
        Eval-002
        Eval-003
        Eval-004
        Eval-005
        Edge: rate limit
        Edge: malformed front matter
        Edge: store unavailable
        Edge: small chunk
        Edge: document structure
    """,
    # Sections.
    "003": """
        1 upsert
        1 search
        2.1
        2.2
        2.3
        3.1
        3.2
        5
        6 chunking
        7 curl
    """,
    # SC-001 and SC-002 are about speed: bench/ shows them.
    "004": """
        US1.1
        US1.2
        US1.3
        US1.4
        US2.1
        US2.2
        US2.3
        US2.4
        US3.1
        US3.2
        US3.3
        US4.1
        US4.2
        US4.3
        FR-001
        FR-002
        FR-003
        FR-004
        FR-005
        FR-006
        FR-007
        FR-008
        FR-009
        FR-010
        FR-011
        FR-012
        FR-013
        FR-014
        FR-015
        SC-003
        SC-004
        SC-005
        SC-006
        SC-007
        SC-008
        SC-009
        SC-010
        Edge: store unreachable
        Edge: embedding failure
        Edge: agent failure
        Edge: no relevant chunks
        Edge: query too long
        Edge: selected text too long
        Edge: empty query
        Edge: malformed JSON
        Edge: rate limit
        Edge: endpoint not found
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
