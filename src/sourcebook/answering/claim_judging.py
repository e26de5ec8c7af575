"""Judges the claims of an answer while it is written, those that came meanwhile in one call."""

import asyncio
import logging
from typing import Self

from sourcebook.core.claims import ClaimPair
from sourcebook.core.errors import Unavailable
from sourcebook.core.ports import Judge

log = logging.getLogger(__name__)

JUDGE_TIMEOUT_S = 5.0


class ClaimJudging:
    """Asks a judge about one claim at once, and about those that came during a call in the next.

    So a writer that is slower than the judge has each sentence judged as soon as it is there, and
    one that is faster has all of its answer judged in two calls.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge: Judge | None = judge
        self._waiting: list[tuple[ClaimPair, asyncio.Future[bool]]] = []
        self._task: asyncio.Task[None] | None = None

    def ask(self, pair: ClaimPair) -> "asyncio.Future[bool]":
        """Whether a claim is borne, once it is known; no if the judge fails."""
        borne: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((pair, borne))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._judge_waiting())
        return borne

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End a call that nobody waits for any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _judge_waiting(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                verdicts = await self._verdicts([pair for pair, _ in batch])
            except Exception as error:  # noqa: BLE001 - it is raised where the claim is waited for
                for _, borne in batch:
                    borne.set_exception(error)
            else:
                for (_, borne), verdict in zip(batch, verdicts, strict=True):
                    # Who waited for it may be gone.
                    if not borne.done():
                        borne.set_result(verdict)

    async def _verdicts(self, pairs: list[ClaimPair]) -> list[bool]:
        if self._judge is not None:
            try:
                async with asyncio.timeout(JUDGE_TIMEOUT_S):
                    probabilities = await self._judge.judge(pairs)
                return [one >= self._judge.threshold for one in probabilities]
            except (Unavailable, TimeoutError) as error:
                log.warning("claims_not_judged", extra={"reason": str(error) or "timeout"})
                # One that fails is not asked again.
                self._judge = None
        return [False] * len(pairs)
