"""sentence-transformers in f32, as its documentation shows it. Argument: the model's folder."""

import sys
import time

from json_lines import answer_lines
from sentence_transformers import SentenceTransformer

model = SentenceTransformer(sys.argv[1], device="cpu")


def embed(texts: list[str], vectors: bool = False) -> dict[str, object]:
    """Embed the texts; how long it took and, if wanted, their vectors."""
    started_s = time.perf_counter()
    made = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    seconds = time.perf_counter() - started_s
    return {"seconds": seconds, "vectors": made.tolist() if vectors else None}


answer_lines({"embed": embed})
