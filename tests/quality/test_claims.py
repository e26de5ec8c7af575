"""No false claim of a language model leaves, and true ones do, or the sentence that says it."""

import json
import sys
from pathlib import Path

import pytest
from bench.measurements.labelled import of_claims, read_labelled
from bench.servers import serving

from tests.quality import ALL, TIMEOUT_S
from tests.quality.conftest import serving_texts

# In percent, a little under what was measured on 19 November 2026 with a model that names the right
# statements: of every fourth true claim 100 and 32.
MIN_TOLD, MIN_PROVEN = (95, 31) if ALL else (96, 29)


@pytest.mark.timeout(TIMEOUT_S)
def test_no_false_claim_leaves_and_no_more_true_ones_are_lost_than_were(
    texts: Path, tmp_path: Path
) -> None:
    labelled = read_labelled("claims")
    true = [one for one in labelled if one["true"]]
    claims = [one for one in labelled if not one["true"]] + true[:: 1 if ALL else 4]
    script = tmp_path / "told.json"
    says = {one["question"]: (one["claim"], one["evidence"]) for one in claims}
    script.write_text(json.dumps(says), "utf-8")
    puppet = [sys.executable, "-m", "bench.puppet_model", str(script)]

    with serving(puppet, tmp_path, "/v1/models") as model:
        settings = {"SOURCEBOOK_LLM_BASE_URL": f"{model.url}/v1", "SOURCEBOOK_LLM_MODEL": "puppet"}
        folder = tmp_path / "book"
        folder.mkdir()
        with serving_texts(texts, folder, settings) as server:
            said = [(one, server.post("/chat", {"query": one["question"]})) for one in claims]

    left, told, proven = of_claims(said)
    assert all(reply["metadata"]["answer_probability"] is not None for _, reply in said)
    found = {one.what: one.ours for one in (left, told, proven)}
    assert left.median == 0, found
    assert told.median >= MIN_TOLD, found
    assert proven.median >= MIN_PROVEN, found
