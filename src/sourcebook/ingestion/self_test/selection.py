"""Chooses the probes of a book by hashes, so that an edit changes those of its lesson alone."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import DocumentHeader
from sourcebook.core.self_tests import Probe
from sourcebook.ingestion.self_test.questions import QUESTIONS_VERSION


@dataclass(frozen=True, slots=True)
class LessonQuestions:
    """A lesson, and the questions that it should be found by."""

    document_id: str
    path: str
    questions: Sequence[str]


def book_state(collection: Collection, lessons: Iterable[DocumentHeader], max_probes: int) -> str:
    """Hash everything that a self-test depends on: the lessons, the index, the probes."""
    made_by = f"{QUESTIONS_VERSION} {max_probes} {collection.generation.index_id}"
    versions = sorted(f"{lesson.id} {lesson.version}" for lesson in lessons)
    return _hash(made_by, *versions)


def lessons_to_ask(
    lessons: Iterable[DocumentHeader], known: Iterable[Probe], max_probes: int
) -> list[DocumentHeader]:
    """Return the lessons to make probes of: as many as there can be probes, and the lost ones."""
    ordered = sorted(lessons, key=lambda lesson: _hash(lesson.id))
    lost = {probe.document_id for probe in known if probe.lost}
    return ordered[:max_probes] + [one for one in ordered[max_probes:] if one.id in lost]


def choose_probes(
    lessons: Iterable[LessonQuestions], known: Iterable[Probe], max_probes: int
) -> tuple[Probe, ...]:
    """Choose one question of each lesson, then a second one of each, until there are enough.

    A lost probe stays, and comes first, as long as its lesson has its question: it must not be
    forgotten because another lesson was added.
    """
    before = {_key(probe): replace(probe, checked=False) for probe in known}
    ordered = sorted(lessons, key=lambda lesson: _hash(lesson.document_id))
    in_turn = zip_longest(*(_probes(lesson) for lesson in ordered))
    offered = [before.get(_key(one), one) for row in in_turn for one in row if one is not None]
    return tuple(sorted(offered, key=lambda probe: not probe.lost)[:max_probes])


def _probes(lesson: LessonQuestions) -> list[Probe]:
    questions = sorted(lesson.questions, key=lambda text: _hash(lesson.document_id, text))
    return [Probe(lesson.document_id, lesson.path, question) for question in questions]


def _key(probe: Probe) -> tuple[str, str]:
    return probe.document_id, probe.question


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
