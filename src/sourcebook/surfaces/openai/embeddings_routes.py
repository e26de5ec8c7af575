"""The route of OpenAI's embeddings."""

import asyncio
import base64
import math
import struct
from collections.abc import Iterable, Iterator, Sequence

import orjson
from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from sourcebook.core.ports import Embedder
from sourcebook.core.text import is_blank, shorten
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.surfaces.api_keys import API_KEY_SCHEME
from sourcebook.surfaces.cancellation import cancel_on_disconnect
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.long_replies import in_turns
from sourcebook.surfaces.openai import embeddings_schemas as schemas
from sourcebook.surfaces.openai.errors import BODY, KEYED, ModelNotFound, errors
from sourcebook.surfaces.openai.results import tokens_in
from sourcebook.surfaces.rate_limits import limit_searches
from sourcebook.surfaces.request_errors import InvalidField
from sourcebook.surfaces.route_classes import ApiKeyRoute
from sourcebook.surfaces.use_cases import UseCases

# So many at once: a search must not wait for all of them.
BATCH = 32

routes = APIRouter(tags=["openai"], route_class=ApiKeyRoute, dependencies=[Depends(API_KEY_SCHEME)])


@routes.post(
    "/v1/embeddings",
    response_model=schemas.EmbeddingsOut,
    responses=errors(*BODY, *KEYED, 404, 503),
    dependencies=[Depends(limit_searches)],
)
async def embed(request: Request, body: schemas.EmbeddingsIn, use: Using) -> StreamingResponse:
    """Embed texts with a loaded model. A text longer than the model reads gets its mean vector."""
    embedder = _embedder(body, use)
    texts = _texts(body.input)
    async with cancel_on_disconnect(request):
        vectors = await _embed(embedder, texts, is_query=body.input_type == "query")
    pack = _packed if body.encoding_format == "base64" else list[float]
    usage = tokens_in(sum(map(len, texts)))
    return in_turns(_json(map(pack, vectors), embedder.id, usage), "application/json")


def _json(embeddings: Iterable[str | list[float]], model: str, tokens: int) -> Iterator[bytes]:
    """The JSON of `EmbeddingsOut`, one vector at a time."""
    yield b'{"object":"list","data":['
    for index, one in enumerate(embeddings):
        out = schemas.EmbeddingOut(index=index, embedding=one)
        yield (b"," if index else b"") + out.model_dump_json().encode()
    usage = schemas.EmbeddingUsageOut(prompt_tokens=tokens, total_tokens=tokens)
    yield b'],"model":%b,"usage":%b}' % (orjson.dumps(model), usage.model_dump_json().encode())


def _embedder(body: schemas.EmbeddingsIn, use: UseCases) -> Embedder:
    named = (one for one in use.models if body.model in {one.id, one.name})
    found = next(named, None)
    if found is None:
        raise ModelNotFound(
            f"There is no embedding model {shorten(body.model, 80)!r}. Available: {use.models.ids}"
        )
    if body.dimensions not in {None, found.dimensions}:
        raise InvalidField(
            "dimensions",
            f"The vectors of {found.id!r} have {found.dimensions} dimensions, and cannot be cut to"
            f" {body.dimensions}; leave 'dimensions' out",
        )
    return found


def _texts(given: str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]) -> list[str]:
    listed = [given] if isinstance(given, str) else list(given)
    texts = [text for text in listed if isinstance(text, str)]
    if len(texts) < len(listed):
        raise InvalidField(
            "input",
            "The input must be text, not tokens of another model's vocabulary. LangChain's"
            " OpenAIEmbeddings sends text with check_embedding_ctx_length=False",
        )
    if not texts or any(is_blank(text) or "\x00" in text for text in texts):
        raise InvalidField(
            "input", "The input must hold a text, and no text may be empty or hold NUL characters"
        )
    return texts


async def _embed(embedder: Embedder, texts: Sequence[str], *, is_query: bool) -> list[Vector]:
    if is_query:
        return [await embedder.embed_query(text) for text in texts]
    vectors: list[Vector] = []
    for start in range(0, len(texts), BATCH):
        embedded = await embedder.embed_documents(texts[start : start + BATCH])
        # In a thread: a text may have thousands of vectors.
        vectors += await asyncio.to_thread(_means, embedded)
    return vectors


def _means(embeddings: Sequence[Embedding]) -> list[Vector]:
    return [_mean(one) for one in embeddings]


def _mean(embedding: Embedding) -> Vector:
    """One vector for a text of several, of length 1 as each of them."""
    if len(embedding) == 1:
        return embedding[0]
    sums = [math.fsum(column) for column in zip(*embedding, strict=True)]
    length = math.hypot(*sums) or 1.0
    return [value / length for value in sums]


def _packed(vector: Vector) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
