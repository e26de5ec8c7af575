"""Our graph of a classifier of pairs gives the logits of the transformers library."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from sourcebook.providers.inference.local_models import LocatedModel
from sourcebook.providers.inference.pair_model import read_pair_folder
from tests.extras.library_models import save_classifier

PAIRS = [("a b c d e", "a b"), ("q w e r t y", "x"), ("", "a b c"), ("a a a", "b b b b b b b")]


@pytest.mark.parametrize("labels", [1, 2, 3])
@pytest.mark.parametrize("model_type", ["bert", "roberta", "xlm-roberta"])
async def test_a_classifier_gives_the_logits_of_the_library(
    tmp_path: Path, model_type: str, labels: int
) -> None:
    save_classifier(tmp_path, model_type, labels)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path))
    theirs = AutoModelForSequenceClassification.from_pretrained(str(tmp_path)).eval()
    with torch.no_grad():
        expected = [
            theirs(**tokenizer(premise, claim, return_tensors="pt")).logits[0].numpy()
            for premise, claim in PAIRS
        ]

    folder = read_pair_folder(LocatedModel("tiny", tmp_path))
    ours = folder.load("f32")
    try:
        groups = await ours.logits(lambda cutter: cutter.claim_windows(PAIRS))
    finally:
        ours.close()

    assert folder.labels == labels
    found = np.stack([row for (row,) in groups])
    np.testing.assert_allclose(found, np.stack(expected), atol=1e-4)
    # Far more than the tolerance, or equality would say little.
    assert np.ptp(found, axis=0).min() > 0.01
