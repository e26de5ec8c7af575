"""Contract of a ledger for feedback: questions that were not answered, and readers' marks."""

import asyncio
from dataclasses import replace

from sourcebook.core.answers import ClosestPlace
from sourcebook.core.feedback import Mark, UnansweredQuestion
from sourcebook.core.ports import Ledger

CLOSEST = (ClosestPlace("Gripping ä", "The fingers", "docs/gripping#fingers"),)
ASKED = UnansweredQuestion("k1", "arms", "Who painted it?", 1, 100.25, 100.25, CLOSEST)
MARK = Mark("m1", "How far?", "answer", "right", 100.5, "It is ä", ("a/01.md", "02.md"))
MANY = 100


class FeedbackContract:
    """Feedback is counted, bounded, and forgotten after a while."""

    async def test_an_unanswered_question_comes_back_as_it_was_kept(self, ledger: Ledger) -> None:
        await ledger.feedback.count_unanswered(ASKED, MANY)

        assert await ledger.feedback.unanswered(10) == [ASKED]

    async def test_the_same_question_is_counted_and_keeps_its_latest_words(
        self, ledger: Ledger
    ) -> None:
        again = replace(ASKED, question="WHO painted it", last_asked_at_s=200.0, closest=())
        await ledger.feedback.count_unanswered(ASKED, MANY)

        await ledger.feedback.count_unanswered(replace(again, first_asked_at_s=200.0), MANY)

        assert await ledger.feedback.unanswered(10) == [replace(again, count=2)]

    async def test_no_count_is_lost_when_many_ask_at_once(self, ledger: Ledger) -> None:
        asking = (ledger.feedback.count_unanswered(ASKED, MANY) for _ in range(8))

        await asyncio.gather(*asking)

        assert [one.count for one in await ledger.feedback.unanswered(10)] == [8]

    async def test_the_question_that_is_asked_most_comes_first(self, ledger: Ledger) -> None:
        for key, count, at_s in [("a", 1, 300.0), ("b", 3, 100.0), ("c", 1, 400.0)]:
            asked = replace(ASKED, key=key, count=count, last_asked_at_s=at_s)
            await ledger.feedback.count_unanswered(asked, MANY)

        keys = [one.key for one in await ledger.feedback.unanswered(10)]

        assert keys == ["b", "c", "a"]
        assert len(await ledger.feedback.unanswered(2)) == 2

    async def test_the_oldest_feedback_makes_room_for_new(self, ledger: Ledger) -> None:
        for number in range(5):
            at_s = 100.0 + number
            asked = replace(ASKED, key=f"k{number}", last_asked_at_s=at_s)
            await ledger.feedback.count_unanswered(asked, 3)
            await ledger.feedback.put_mark(replace(MARK, id=f"m{number}", marked_at_s=at_s), 3)

        assert [one.key for one in await ledger.feedback.unanswered(10)] == ["k4", "k3", "k2"]
        assert [one.id for one in await ledger.feedback.marks(10)] == ["m4", "m3", "m2"]

    async def test_a_mark_takes_the_place_of_the_one_before(self, ledger: Ledger) -> None:
        changed = replace(MARK, verdict="wrong", reason="No", marked_at_s=101.0)
        await ledger.feedback.put_mark(MARK, MANY)
        assert await ledger.feedback.marks(10) == [MARK]

        await ledger.feedback.put_mark(changed, MANY)

        assert await ledger.feedback.marks(10) == [changed]

    async def test_one_question_or_all_feedback_can_be_forgotten(self, ledger: Ledger) -> None:
        for key in ("a", "b", "c"):
            await ledger.feedback.count_unanswered(replace(ASKED, key=key), MANY)
        await ledger.feedback.put_mark(MARK, MANY)

        assert await ledger.feedback.forget_unanswered("a") == 1
        assert await ledger.feedback.forget_unanswered("nothing\x00") == 0
        assert await ledger.feedback.forget_unanswered() == 2
        assert await ledger.feedback.forget_marks() == 1

        assert await ledger.feedback.unanswered(10) == []
        assert await ledger.feedback.marks(10) == []

    async def test_what_is_too_old_is_purged(self, ledger: Ledger) -> None:
        await ledger.feedback.count_unanswered(ASKED, MANY)
        await ledger.feedback.count_unanswered(
            replace(ASKED, key="new", last_asked_at_s=500.0), MANY
        )
        await ledger.feedback.put_mark(MARK, MANY)
        await ledger.feedback.put_mark(replace(MARK, id="new", marked_at_s=500.0), MANY)

        assert await ledger.feedback.purge(500.0) == 2

        assert [one.key for one in await ledger.feedback.unanswered(10)] == ["new"]
        assert [one.id for one in await ledger.feedback.marks(10)] == ["new"]

    async def test_feedback_holds_any_text(self, ledger: Ledger) -> None:
        odd = "NUL \x00 and half a pair \ud800"
        await ledger.feedback.count_unanswered(replace(ASKED, question=odd, book_id=odd), MANY)
        await ledger.feedback.put_mark(replace(MARK, question=odd, sources=(odd,)), MANY)

        assert (await ledger.feedback.unanswered(1))[0].question.startswith("NUL ")
        assert (await ledger.feedback.marks(1))[0].sources[0].startswith("NUL ")
