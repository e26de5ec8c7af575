"""An evaluation searches a book and a collection as readers do, and asks as chats do."""

import httpx2
import pytest

from sourcebook.cli.eval_index import COLLECTION, index_corpus
from sourcebook.cli.eval_target import Scope, ServiceTarget, WaitingTransport
from sourcebook.cli.service_client import RequestRefused
from sourcebook.core.errors import InvalidInput
from sourcebook.evaluation.beir import CorpusDocument
from sourcebook.evaluation.metrics import measure
from sourcebook.evaluation.questions import JudgedQuestion
from sourcebook.evaluation.runs import ask_all
from sourcebook.ingestion.identity import lesson_id
from tests.fakes import FakeEmbedder
from tests.surfaces.book.sample_book import BOOK, JOINTS, Library

LIMITS = "urdf joint limits lower upper effort velocity"
CORPUS = [CorpusDocument("knee", "Knees", "the knee bends"), CorpusDocument("hip", "", "hips turn")]


@pytest.fixture
async def corpus(client: httpx2.AsyncClient) -> ServiceTarget:
    client.headers["X-Admin-API-Key"] = "a-long-enough-admin-key"
    await index_corpus(client, CORPUS, "minilm")
    return ServiceTarget(client, Scope(collection=COLLECTION))


@pytest.mark.parametrize("id_", [JOINTS, lesson_id(BOOK, JOINTS)])
async def test_a_lesson_is_known_by_its_path_and_by_its_id(
    id_: str, indexed: Library, client: httpx2.AsyncClient
) -> None:
    question = JudgedQuestion("q", LIMITS, {id_: 1})

    ((outcome,),) = await ask_all([ServiceTarget(client, Scope())], [question])

    assert outcome.rank == 1
    (found,) = measure([question], [outcome.ranking])
    assert found["ndcg"] == 1.0
    # Its other chunks were found too, and do not count again.
    assert len(outcome.hits) > len(outcome.ranking)
    assert outcome.hits[0].title == "Joints › Joint Limits"


async def test_a_chunk_is_known_by_its_id(indexed: Library, client: httpx2.AsyncClient) -> None:
    target = ServiceTarget(client, Scope(book=BOOK))
    first = (await target.search(JudgedQuestion("q", LIMITS)))[0]

    ((outcome,),) = await ask_all([target], [JudgedQuestion("q", LIMITS, {first.names[0]: 1})])

    assert outcome.rank == 1


async def test_an_unknown_book_has_no_hits(indexed: Library, client: httpx2.AsyncClient) -> None:
    assert (
        await ServiceTarget(client, Scope(book="other")).search(JudgedQuestion("q", LIMITS)) == []
    )


async def test_a_corpus_is_searched_as_a_collection(corpus: ServiceTarget) -> None:
    hits = await corpus.search(JudgedQuestion("q", "knees"))

    assert [hit.document for hit in hits] == ["knee", "hip"]
    assert hits[0].text == "Knees\nthe knee bends"


async def test_a_follow_up_is_searched_with_the_subject_of_the_earlier_questions(
    corpus: ServiceTarget, embedder: FakeEmbedder
) -> None:
    question = JudgedQuestion("q", "What about its limits?", earlier=("What is a knee?",))

    hits = await corpus.search(question)

    assert "knee" in embedder.queries[-1]
    # Everything is ranked, also what is too far away to be a match elsewhere.
    assert [hit.document for hit in hits] == ["knee", "hip"]


async def test_an_answer_has_its_quotes_and_a_refusal_has_none(
    indexed: Library, client: httpx2.AsyncClient
) -> None:
    target = ServiceTarget(client, Scope())

    refused = await target.ask(JudgedQuestion("q", "What is the capital of France?"))
    answered = await target.ask(JudgedQuestion("q", "What does a ros2 publisher node send?"))

    assert (refused.answered, refused.quotes) == (False, ())
    assert answered.answered
    assert "publisher node sends messages" in answered.quotes[0].text
    assert answered.quotes[0].lines


async def test_a_conversation_is_asked_in_order_and_forgotten(
    indexed: Library, client: httpx2.AsyncClient
) -> None:
    asked: list[str] = []

    async def note(request: httpx2.Request) -> None:
        asked.append(f"{request.method} {request.url.path.partition('-')[0]}")

    client.event_hooks["request"].append(note)
    question = JudgedQuestion("q", "And what does it send?", earlier=("What is a publisher node?",))

    await ServiceTarget(client, Scope()).ask(question)

    assert [one.split("/")[1] for one in asked] == ["chat", "chat", "conversations"]


@pytest.mark.usefixtures("indexed")
async def test_searches_and_answers_use_the_mode(client: httpx2.AsyncClient) -> None:
    # This service indexes no words, so it says that it was asked for them.
    question = JudgedQuestion("q", LIMITS)
    for scope in (Scope(mode="keyword"), Scope(collection="book", mode="keyword")):
        with pytest.raises(RequestRefused, match="cannot be searched by keywords"):
            await ServiceTarget(client, scope).search(question)
    with pytest.raises(RequestRefused, match="cannot be searched by keywords"):
        await ServiceTarget(client, Scope(mode="keyword")).ask(question)


async def test_an_unknown_mode_is_refused(client: httpx2.AsyncClient) -> None:
    with pytest.raises(InvalidInput, match="'dense', 'keyword' or 'hybrid'"):
        await ServiceTarget(client, Scope(mode="fuzzy")).search(JudgedQuestion("q", LIMITS))


async def test_a_service_that_is_too_busy_is_asked_again() -> None:
    replies = [429, 429, 200]

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(
            replies.pop(0), headers={"Retry-After": "0"}, content=request.content
        )

    transport = WaitingTransport(httpx2.MockTransport(answer))
    async with httpx2.AsyncClient(transport=transport, base_url="http://busy") as http:
        reply = await http.post("/search", json={"query": "again"})

    assert (reply.status_code, replies) == (200, [])
    assert reply.json() == {"query": "again"}
