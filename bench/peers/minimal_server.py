"""A minimal search server: sentence-transformers with FastAPI.

Arguments: the model's folder, then `--port` and a port. Its documents are a few lines in memory.
"""

import sys

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sentence_transformers import SentenceTransformer

TEXTS = [f"Lesson {number} is about robots that have {number} joints." for number in range(100)]

app = FastAPI()
model = SentenceTransformer(sys.argv[1], device="cpu")
vectors = model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)


class Question(BaseModel):
    """What is asked."""

    query: str
    top_k: int = 3


@app.post("/query")
def query(question: Question) -> dict[str, list[str]]:
    """The nearest texts."""
    vector = model.encode(question.query, normalize_embeddings=True, show_progress_bar=False)
    best = (vectors @ vector).argsort()[::-1][: question.top_k]
    return {"results": [TEXTS[number] for number in best]}


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[sys.argv.index("--port") + 1]))
