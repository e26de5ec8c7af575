"""With the fallback, a model that fails costs no answer: the reply quotes the book and says so."""

from collections.abc import Sequence

import pytest

from sourcebook.core.answers import NO_INFORMATION
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import AgentRefused
from sourcebook.core.ports import Ledger
from sourcebook.providers.language_models.failures import (
    BROKE_OFF,
    RATE_LIMITED,
    TOO_SLOW,
)
from tests.llm_server import Act, Drop, Fail, Hang, Say
from tests.memory_store import MemoryStore
from tests.surfaces.chat.agent_world import NODES, PATHS, Shelves
from tests.surfaces.chat.chat_client import SESSION

SAID = "A node is one process of a robot."
QUOTED = f"{SAID} Nodes send messages over topics."
FAILURES: dict[str, tuple[Sequence[Act], str]] = {
    "refuses the key": ([Fail(401)], str(AgentRefused.reader_message)),
    "takes no more": ([Fail(429)] * 9, RATE_LIMITED),
    "is cut off in mid-sentence": ([Drop(["A node"])], BROKE_OFF),
    "hangs": ([Hang()], TOO_SLOW),
}


@pytest.fixture
def shelves(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Shelves:
    return Shelves(ledger, store, models)


@pytest.mark.parametrize("case", FAILURES)
async def test_a_model_that_fails_costs_no_answer(shelves: Shelves, case: str) -> None:
    script, reason = FAILURES[case]
    async with shelves.serving(timeout_s=0.5, falls_back=True) as world:
        for path in PATHS:
            reply = await world.ask(path, script, session_id=SESSION)

            assert (reply.status, reply.error) == (200, None)
            assert reply.answer.startswith(f"{QUOTED} [1]")
            assert reply.sources[0] == (1, NODES, QUOTED)
            assert reply.metadata["model"] == reply.metadata["fallback"] == "extractive"
            assert reply.metadata["warning"].startswith(f"{reason}. ")
            assert reply.metadata["answered"] is True
            assert "in the settings" not in str(reply)
        assert len(world.conversations.exchanges) == len(PATHS)
        assert world.slots.taken == 0


async def test_what_the_book_does_not_say_is_refused_and_marked(shelves: Shelves) -> None:
    async with shelves.serving(falls_back=True) as world:
        asked = "Which cheese do Swiss farmers eat?"
        reply = await world.ask("/chat", [Fail(401)], query=asked)

        assert (reply.answer, reply.sources) == (NO_INFORMATION, ())
        assert reply.metadata["answered"] is False
        assert reply.metadata["fallback"] == "extractive"


@pytest.mark.parametrize("path", PATHS)
async def test_a_model_that_breaks_off_later_is_an_error_as_ever(
    shelves: Shelves, path: str
) -> None:
    async with shelves.serving(falls_back=True) as world:
        reply = await world.ask(path, [Drop([f"{SAID} [1] ", "Nodes send"])])

        assert reply.error == ("agent_unavailable", BROKE_OFF, None)


async def test_a_model_that_works_writes(shelves: Shelves) -> None:
    async with shelves.serving(falls_back=True) as world:
        reply = await world.ask("/chat", [Say([f"{SAID} [1]"])])

        assert reply.answer == f"{SAID} [1]"
        assert (reply.metadata["fallback"], reply.metadata["warning"]) == (None, None)
