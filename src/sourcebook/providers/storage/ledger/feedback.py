"""Feedback in the ledger: questions that were not answered, and readers' marks."""

from dataclasses import asdict

from sqlalchemy import Column, RowMapping, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sourcebook.core.answers import ClosestPlace
from sourcebook.core.feedback import Mark, UnansweredQuestion
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.sql import as_storable, insert_new, is_storable

_QUESTION = schema.unanswered_questions.c
_MARK = schema.marks.c


class SqlFeedback:
    """Implements `FeedbackLedger`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count_unanswered(self, asked: UnansweredQuestion, most: int) -> None:
        """Keep a question, or add its count to the one of the same key and take its words."""
        table, row = schema.unanswered_questions, _question_columns(asked)
        async with self._database.writing() as connection:
            if await insert_new(connection, table, [row]):
                await _trim(connection, table, _QUESTION.key, _QUESTION.last_asked_at_s, most)
                return
            latest = {name: row[name] for name in ("question", "last_asked_at_s", "closest")}
            known = update(table).where(_QUESTION.key == asked.key)
            await connection.execute(known.values(count=_QUESTION.count + asked.count, **latest))

    async def unanswered(self, limit: int) -> list[UnansweredQuestion]:
        """Return the questions that were asked most often, then most lately."""
        order = _QUESTION.count.desc(), _QUESTION.last_asked_at_s.desc(), _QUESTION.key
        query = select(schema.unanswered_questions).order_by(*order).limit(limit)
        async with self._database.reading() as connection:
            return [_question_of(row) for row in (await connection.execute(query)).mappings()]

    async def forget_unanswered(self, key: str | None = None) -> int:
        """Delete the question of that key, or all of them; return how many there were."""
        gone = delete(schema.unanswered_questions)
        if key is not None:
            if not is_storable(key):
                return 0
            gone = gone.where(_QUESTION.key == key)
        async with self._database.writing() as connection:
            return (await connection.execute(gone)).rowcount

    async def put_mark(self, mark: Mark, most: int) -> None:
        """Keep a mark in place of the one of the same id."""
        row = _mark_columns(mark)
        async with self._database.writing() as connection:
            if await insert_new(connection, schema.marks, [row]):
                await _trim(connection, schema.marks, _MARK.id, _MARK.marked_at_s, most)
            else:
                known = update(schema.marks).where(_MARK.id == mark.id)
                await connection.execute(known.values(**row))

    async def marks(self, limit: int) -> list[Mark]:
        """Return the latest marks, newest first."""
        query = select(schema.marks).order_by(_MARK.marked_at_s.desc(), _MARK.id).limit(limit)
        async with self._database.reading() as connection:
            return [_mark_of(row) for row in (await connection.execute(query)).mappings()]

    async def forget_marks(self) -> int:
        """Delete all marks; return how many there were."""
        async with self._database.writing() as connection:
            return (await connection.execute(delete(schema.marks))).rowcount

    async def purge(self, before_s: float) -> int:
        """Delete what was last asked, or marked, before that time; return how much there was."""
        old_questions = delete(schema.unanswered_questions).where(
            _QUESTION.last_asked_at_s < before_s
        )
        old_marks = delete(schema.marks).where(_MARK.marked_at_s < before_s)
        async with self._database.writing() as connection:
            questions = (await connection.execute(old_questions)).rowcount
            return questions + (await connection.execute(old_marks)).rowcount


async def _trim(
    connection: AsyncConnection, table: Table, key: Column[str], time_s: Column[float], most: int
) -> None:
    """Delete the oldest rows beyond `most`."""
    count = await connection.scalar(select(func.count()).select_from(table)) or 0
    if count > most:
        oldest = select(key).order_by(time_s, key).limit(count - most)
        await connection.execute(delete(table).where(key.in_(oldest)))


def _question_columns(asked: UnansweredQuestion) -> dict[str, object]:
    return {
        "key": asked.key,
        "book_id": as_storable(asked.book_id),
        "count": asked.count,
        "first_asked_at_s": asked.first_asked_at_s,
        "last_asked_at_s": asked.last_asked_at_s,
        "question": as_storable(asked.question),
        "closest": [
            {name: as_storable(text) for name, text in asdict(place).items()}
            for place in asked.closest
        ],
    }


def _question_of(row: RowMapping) -> UnansweredQuestion:
    places = tuple(ClosestPlace(**place) for place in row["closest"])
    return UnansweredQuestion(**{**row, "closest": places})


def _mark_columns(mark: Mark) -> dict[str, object]:
    return {
        "id": mark.id,
        "about": mark.about,
        "verdict": mark.verdict,
        "marked_at_s": mark.marked_at_s,
        "question": as_storable(mark.question),
        "reason": as_storable(mark.reason),
        "sources": [as_storable(name) for name in mark.sources],
    }


def _mark_of(row: RowMapping) -> Mark:
    return Mark(**{**row, "sources": tuple(row["sources"])})
