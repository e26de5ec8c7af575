"""A small book for these tests: lessons of every tier, in three modules."""

from collections.abc import Mapping
from dataclasses import dataclass

from sourcebook.core.jobs import IngestJob
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.identity import lesson_id
from sourcebook.service.wiring.ingestion import BookParts
from tests.books import MemorySource

BOOK = "physical-ai-robotics"
BASE_URL = "https://example.org/robolearn"
KEY = "a-long-enough-admin-key"
ADMIN = {"X-Admin-API-Key": KEY}
SECRET = b"what GitHub and we know"

PUBLISHER = "module-1-ros2/chapter-4-first-code/02-writing-publisher.md"
CHAPTER = "module-1-ros2/chapter-4-first-code/README.md"
JOINTS = "module-1-ros2/chapter-7-urdf/01-joints.md"
WORLDS = "module-2-simulation/chapter-8-worlds/01-worlds.md"
ARM = "module-4-vla/chapter-12-arm/03-real-robot.md"

_FRONT = """---
id: lesson-4-2-writing-publisher
title: "Lesson 4.2: Writing a Publisher"
description: Send your first messages
hardware_tier: 1
proficiency_level: B1
layer: L2
---
"""


def section(title: str, words: str) -> str:
    """A section that is long enough to be a chunk of its own."""
    lines = 300 // len(f"{words} step .".split())
    return f"## {title}\n\n" + "\n".join(f"{words} step{n}." for n in range(lines)) + "\n\n"


def front(**values: object) -> str:
    """A front matter."""
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in values.items()) + "---\n\n"


LESSONS: Mapping[str, str] = {
    PUBLISHER: _FRONT
    + "\n# Writing a Publisher\n\n"
    + section("The Publisher Pattern", "a ros2 publisher node sends messages")
    + section("Timers", "the timer calls back")
    + section("Quality of Service", "reliability durability history"),
    CHAPTER: section("Overview", "this chapter writes code"),
    JOINTS: front(title="Joints", hardware_tier=2, proficiency_level="A2", layer="L1")
    + section("Joint Limits", "urdf joint limits lower upper effort velocity")
    + section("Links", "inertia mass origin"),
    WORLDS: front(title="Worlds", hardware_tier=3, proficiency_level="B2", layer="L3")
    + section("Physics", "gazebo gravity friction"),
    ARM: front(title="A Real Arm", hardware_tier=4, proficiency_level="C1", layer="L4")
    + section("Publish to the Arm", "a ros2 publisher moves the real robot"),
}


@dataclass(frozen=True, slots=True)
class Library:
    """The book's files, and what keeps them indexed."""

    source: MemorySource
    parts: BookParts
    ledger: Ledger

    async def work_off(self) -> list[IngestJob]:
        """Run every job that is queued."""
        ended = []
        while (job := await self.ledger.jobs.claim(lease_s=30.0)) is not None:
            await self.parts.runner.run(job)
            ended.append(await self.ledger.jobs.get(job.id))
        return ended


def id_of(path: str, book_id: str = BOOK) -> str:
    """The `parent_doc_id` of a file."""
    return lesson_id(book_id, path)
