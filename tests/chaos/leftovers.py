"""What a process that was killed left behind in its data folder."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from sourcebook.ingestion.upkeep.verifier import Findings, Verifier
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.storage import open_storage


@dataclass(frozen=True)
class Left:
    """What `sourcebook verify` finds, and how many jobs were at work.

    abandoned: collections in the making that no job will go on with.
    """

    findings: list[Findings]
    running: int
    abandoned: int

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong."""
        return [str(found) for found in self.findings if not found.clean]


def left_behind(data: Path) -> Left:
    """Look at the folder without changing it."""

    async def look() -> Left:
        async with open_storage(load_settings(), DataFolder(data)) as storage:
            findings = await Verifier(storage.ledger, storage.store).verify()
            jobs = [job for job in await storage.ledger.jobs.recent(10) if job.status == "running"]
            wanted = {job.building for job in jobs}
            collections = await storage.ledger.collections.all(hidden=True)
            begun = {c.id for c in collections if c.state == "building"}
            return Left(findings, len(jobs), len(begun - wanted))

    return asyncio.run(look())
