"""The chat takes what its clients of any generation send, and gives what they read."""

from typing import Any
from uuid import UUID

import httpx2
import pytest

from sourcebook.answering.chat_models import ChatModels
from sourcebook.core.prompts import Message, Sampling
from tests.fakes import EchoingModel, FakeLanguageModel
from tests.llm_server import Say, ScriptedModel
from tests.surfaces.rag_v3.chat_service import CHAT, HI, Service
from tests.surfaces.rag_v3.postings import INGEST, id_of, posting
from tests.unit.providers.language_models.asking import MODEL, open_model

ARM = "The arm lifts up to 3 kg."
ASKED = "The arm lifts up to how many kg?"


async def said(client: httpx2.AsyncClient, **body: object) -> dict[str, Any]:
    reply = await client.post(CHAT, json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


@pytest.mark.spec("003 2.3")
@pytest.mark.spec("003 7 curl")
async def test_the_curl_of_the_contract_works_without_a_model(service: Service) -> None:
    body = {"model": "llama2", "messages": [HI], "useRag": True}
    async with service.client() as client:
        reply = await said(client, **body)

    assert reply["status"] == "success"
    assert reply["data"]["message"].startswith("Hello!")
    assert (reply["model"], reply["ragUsed"], reply["ragSources"]) == ("extractive", True, [])


@pytest.mark.spec("003 2.3")
async def test_a_reply_has_what_every_client_looks_for(service: Service) -> None:
    async with service.client(FakeLanguageModel(["Three. ", "Or cheese."])) as client:
        await client.post(INGEST, json=posting())
        reply = await said(client, message=ASKED, conversationId="c1", useRag=True)

    message_id = reply["data"]["messageId"]
    assert UUID(message_id).version == 4
    score = reply["ragSources"][0]["score"]
    assert 0.0 < score <= 1.0
    assert reply == {
        "status": "success",
        "data": {
            "message": "Three. Or cheese.",
            "response": "Three. Or cheese.",
            "conversationId": "c1",
            "messageId": message_id,
            "model": "fake-model",
        },
        "conversationId": "c1",
        "model": "fake-model",
        "ragUsed": True,
        "ragSources": [
            {
                "text": ARM,
                "score": score,
                "source": "nas-docs",
                "title": "The arm",
                "documentId": id_of(),
            }
        ],
    }


@pytest.mark.spec("003 2.3")
async def test_without_use_rag_nothing_is_retrieved(service: Service) -> None:
    model = FakeLanguageModel(["a"], ["b"], ["c"])
    async with service.client(model) as client:
        await client.post(INGEST, json=posting())
        replies = [
            await said(client, message=ASKED, system="Be brief.", **more)
            for more in ({}, {"useRag": False}, {"useRag": None, "ragTopK": 99})
        ]

    assert {prompt.instructions for prompt in model.prompts} == {"Be brief."}
    assert all((one["ragUsed"], one["ragSources"]) == (False, []) for one in replies)


async def test_without_a_model_an_answer_quotes(service: Service) -> None:
    async with service.client() as client:
        await client.post(INGEST, json=posting())
        reply = await said(client, message=ASKED, useRag=True)
        listed = await said(client, message="What documents do you have?", useRag=True)

    assert reply["data"]["response"] == f"{ARM} [1]"
    assert listed["data"]["response"] == "Available Ingested Documents:\n- The arm"


async def test_only_posted_documents_are_retrieved(service: Service) -> None:
    async with service.client(EchoingModel()) as client:
        await client.post("/collections", json={"name": "book", "embedding_model": "minilm"})
        documents = {"documents": [{"text": ASKED}]}
        await client.post("/collections/book/documents", json=documents)
        reply = await said(client, message=ASKED, useRag=True)

    assert reply["ragSources"] == []


@pytest.mark.parametrize("top_k", [1, "1", " 1.0 "])
async def test_the_fields_of_rag_are_read_as_those_of_search(
    service: Service, top_k: object
) -> None:
    async with service.client(EchoingModel()) as client:
        await client.post(INGEST, json=posting(tags=["a"]))
        await client.post(INGEST, json=posting("/leg.md", title="The leg", source="web"))
        few = await said(client, message=ASKED, useRag=True, ragTopK=top_k)
        web = await said(client, message=ASKED, useRag=True, ragFilters={"source": "web"})
        tagged = await said(client, message=ASKED, useRag=True, ragFilters={"tags": ["a", "b"]})
        null = await said(client, message=ASKED, useRag=True, ragFilters=None, ragTopK=None)

    assert len(few["ragSources"]) == 1
    assert [one["title"] for one in web["ragSources"]] == ["The leg"]
    assert [one["title"] for one in tagged["ragSources"]] == ["The arm"]
    assert len(null["ragSources"]) == 2


USER, MORE = Message("user", "Hi"), Message("user", "More")
ASSISTANT = Message("assistant", "Hello")
HELLO = {"role": "assistant", "content": "Hello"}
EMPTY = {"role": "assistant", "content": None}
RULE = {"role": "system", "content": "Be kind."}


@pytest.mark.parametrize(
    ("body", "messages", "system"),
    [
        ({"message": "More"}, [MORE], ""),
        ({"message": "More", "messages": []}, [MORE], ""),
        ({"message": "More", "messages": None, "system": None}, [MORE], ""),
        ({"messages": [HI]}, [USER], ""),
        ({"message": "", "messages": [HI]}, [USER], ""),
        ({"message": "More", "messages": [HI, HELLO]}, [USER, ASSISTANT, MORE], ""),
        ({"message": "Hi", "messages": [HI]}, [USER], ""),
        ({"message": "Hi", "messages": [HI, HELLO]}, [USER, ASSISTANT, USER], ""),
        ({"messages": [HI, HELLO, HELLO]}, [USER], ""),
        ({"messages": [EMPTY, HI, EMPTY]}, [USER], ""),
        ({"messages": [RULE, HI], "system": "Be brief."}, [USER], "Be brief.\n\nBe kind."),
        ({"message": "More", "messages": [RULE]}, [MORE], "Be kind."),
    ],
)
async def test_the_model_gets_the_conversation_as_it_was_meant(
    service: Service, body: dict[str, object], messages: list[Message], system: str
) -> None:
    model = EchoingModel()
    async with service.client(model) as client:
        await said(client, **body)

    assert model.prompts[0].messages == tuple(messages)
    assert model.prompts[0].instructions == system


@pytest.mark.parametrize(
    ("options", "temperature", "max_tokens"),
    [
        (None, None, 4096),
        ({}, None, 4096),
        ({"temperature": 0, "num_predict": 50}, 0.0, 50),
        ({"temperature": "0.7", "max_tokens": "60"}, 0.7, 60),
        ({"num_predict": -1}, None, 4096),
        ({"max_tokens": 100_000, "num_predict": 1}, None, 4096),
        ({"temperature": None, "num_ctx": "x", "top_k": "x", "persona": {"a": 1}}, None, 4096),
    ],
)
async def test_of_the_options_only_known_ones_count(
    service: Service, options: object, temperature: float | None, max_tokens: int
) -> None:
    model = EchoingModel()
    async with service.client(model) as client:
        await said(client, message="Hi", options=options)

    assert (model.prompts[0].temperature, model.prompts[0].max_tokens) == (temperature, max_tokens)


@pytest.mark.parametrize(
    ("options", "sampling"),
    [
        ({"top_p": "0.9", "top_k": 40}, Sampling(top_p=0.9)),
        ({"seed": -7, "stop": "END"}, Sampling(seed=-7, stop=("END",))),
        (
            {"presence_penalty": -2, "frequency_penalty": 0.5, "stop": ["a", "b"]},
            Sampling(presence_penalty=-2.0, frequency_penalty=0.5, stop=("a", "b")),
        ),
        ({"top_p": None, "seed": None, "stop": None}, Sampling()),
        ({"stop": []}, Sampling()),
    ],
)
async def test_the_options_of_sampling_reach_the_model(
    service: Service, options: object, sampling: Sampling
) -> None:
    model = EchoingModel()
    async with service.client(model) as client:
        await said(client, message="Hi", options=options)

    assert model.prompts[0].sampling == sampling


@pytest.mark.parametrize(
    ("allowed", "asked", "prompted"),
    [
        (ChatModels(any_model=True), "llama2", "llama2"),
        (ChatModels(any_model=True), " ", None),
        (ChatModels(any_model=True), "fake-model", None),
        (ChatModels(("llama2", "qwen3")), "llama2", "llama2"),
        (ChatModels(("llama2",)), "fake-model", None),
        (ChatModels(), "llama2", None),
    ],
)
async def test_a_chat_may_name_a_model_and_learns_which_one_replied(
    service: Service, allowed: ChatModels, asked: str, prompted: str | None
) -> None:
    model = EchoingModel()
    async with service.client(model, models=allowed) as client:
        reply = await said(client, message="Hi", model=asked)

    assert model.prompts[0].model == prompted
    assert reply["model"] == reply["data"]["model"] == (prompted or "fake-model")


async def test_other_fields_are_ignored(service: Service) -> None:
    others = {"target": "http://10.0.0.1:11434", "autoRoute": True, "taskType": 5, "persona": {}}
    async with service.client(EchoingModel()) as client:
        reply = await said(client, message="Hi", stream=True, **others)

    assert reply["data"]["message"] == "Hi"
    assert reply["model"] == "fake-model"


async def test_a_conversation_without_an_id_gets_one_and_goes_on(service: Service) -> None:
    model = EchoingModel()
    async with service.client(model) as client:
        first = await said(client, message="Hi", conversationId="")
        name = first["conversationId"]
        second = await said(client, message="More", conversationId=name)
        other = await said(client, message="More")

    assert UUID(name).version == 4
    assert second["conversationId"] == second["data"]["conversationId"] == name
    assert other["conversationId"] != name
    assert [len(prompt.messages) for prompt in model.prompts] == [1, 3, 1]


@pytest.mark.parametrize("name", ["1", "a b", "ü" * 128, "🤖", "/../x"])
async def test_a_conversation_may_have_any_name(service: Service, name: str) -> None:
    model = EchoingModel()
    async with service.client(model) as client:
        assert (await said(client, message="Hi", conversationId=name))["conversationId"] == name
        await said(client, message="More", conversationId=name)

    assert len(model.prompts[1].messages) == 3


async def test_a_conversation_cannot_be_read_by_the_other_contract(service: Service) -> None:
    session = "0b8a3c1e-6f2d-4c5b-9a7e-1234567890ab"
    async with service.client(EchoingModel()) as client:
        await said(client, message="Hi", conversationId=session)
        read = await client.get(f"/conversations/{session}")

    assert read.json()["messages"] == []


async def test_without_the_database_of_conversations_the_reply_still_comes(
    service: Service,
) -> None:
    service.conversations.away = True
    async with service.client(EchoingModel()) as client:
        assert (await said(client, message="Hi", conversationId="c1"))["data"]["message"] == "Hi"


@pytest.mark.spec("003 2.3")
@pytest.mark.parametrize(
    ("allowed", "asked"),
    [(ChatModels(), MODEL), (ChatModels(any_model=True), "gpt-99-expensive")],
)
async def test_the_provider_sees_the_block_the_model_and_the_options(
    service: Service, allowed: ChatModels, asked: str
) -> None:
    async with (
        ScriptedModel([Say(["3", " kg."])]) as server,
        open_model(server) as model,
        service.client(model, models=allowed) as client,
    ):
        await client.post(INGEST, json=posting())
        reply = await said(
            client,
            model="gpt-99-expensive",
            message=ASKED,
            system="Be brief.",
            useRag=True,
            options={
                "temperature": 1.5,
                "num_predict": 70,
                "top_p": 0.5,
                "seed": 4,
                "stop": "END",
                "model": "x",
            },
        )
    sent = server.requests[0].body

    assert reply["data"]["message"] == "3 kg."
    assert (reply["model"], sent["model"]) == (asked, asked)
    assert (sent["temperature"], sent["max_tokens"]) == (1.5, 70)
    assert (sent["top_p"], sent["seed"], sent["stop"]) == (0.5, 4, ["END"])
    assert server.requests[0].tools == []
    block = f"=== Retrieved Context ===\n[Source: The arm]\n{ARM}\n=== End Context ==="
    assert sent["messages"] == [
        {"role": "system", "content": f"{block}\n\nBe brief."},
        {"role": "user", "content": ASKED},
    ]


async def test_the_route_is_documented(client: httpx2.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    operation = document["paths"][CHAT]["post"]

    assert set(operation["responses"]) == {
        "200",
        "400",
        "403",
        "404",
        "408",
        "413",
        "415",
        "429",
        "500",
        "503",
    }
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    fields = body["properties"]
    assert {"message", "messages", "useRag", "ragTopK", "ragFilters", "conversationId"} <= {*fields}
