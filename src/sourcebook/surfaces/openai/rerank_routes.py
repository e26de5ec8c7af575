"""The routes of reranking, as Jina and Cohere have it."""

from fastapi import APIRouter, Depends, Request

from sourcebook.core.errors import ModelNotLoaded
from sourcebook.core.text import check_text
from sourcebook.search.reranking import rank
from sourcebook.surfaces.api_keys import API_KEY_SCHEME
from sourcebook.surfaces.cancellation import cancel_on_disconnect
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.openai import rerank_schemas as schemas
from sourcebook.surfaces.openai.errors import BODY, KEYED, errors
from sourcebook.surfaces.openai.results import new_id
from sourcebook.surfaces.rate_limits import limit_searches
from sourcebook.surfaces.route_classes import ApiKeyRoute

routes = APIRouter(tags=["openai"], route_class=ApiKeyRoute, dependencies=[Depends(API_KEY_SCHEME)])


@routes.post(
    "/v1/rerank", responses=errors(*BODY, *KEYED, 503), dependencies=[Depends(limit_searches)]
)
@routes.post(
    "/v2/rerank", responses=errors(*BODY, *KEYED, 503), dependencies=[Depends(limit_searches)]
)
async def rerank(request: Request, body: schemas.RankingIn, use: Using) -> schemas.RankingOut:
    """Put texts in the order in which the reranker finds that they answer the question."""
    if use.reranker is None:
        raise ModelNotLoaded(
            "No reranker is loaded: start the service with --cross-encoder, or set"
            " SOURCEBOOK_RERANKER (`reader` is bundled)"
        )
    check_text(body.query, "query")
    texts = [one if isinstance(one, str) else one.text for one in body.documents]
    candidates = [(str(index), text) for index, text in enumerate(texts)]
    async with cancel_on_disconnect(request):
        ranked = await rank(use.reranker, body.query, candidates, body.top_n)
    return schemas.RankingOut(
        id=new_id("rerank"),
        model=use.reranker.name,
        results=[
            schemas.RankedResultOut(
                index=int(one.id),
                relevance_score=one.score,
                document=_sent(texts[int(one.id)]) if body.return_documents else None,
            )
            for one in ranked
        ],
    )


def _sent(text: str) -> schemas.RankedTextOut:
    return schemas.RankedTextOut(text=text)
