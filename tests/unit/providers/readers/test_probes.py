"""What is known of the bundled reader is what it computes."""

from pathlib import Path

import numpy as np

from sourcebook.providers.inference.known_outputs import known_outputs
from sourcebook.providers.readers.adapter import find_reader
from sourcebook.providers.readers.openvino import exact_scores


async def test_what_is_known_of_the_bundled_reader_is_what_it_computes() -> None:
    adapter, base = find_reader("bundled", Path())

    known = known_outputs(adapter.folder, adapter.sha256)

    assert known is not None
    np.testing.assert_allclose(await exact_scores(adapter, base), known, atol=1e-3)
