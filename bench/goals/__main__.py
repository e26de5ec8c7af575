"""`python -m bench.goals`: measure the goals for search on the sets in SOURCEBOOK_EVAL_DATA."""

import argparse
import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.goals import sets
from bench.goals.sets import Measurement, Run, Scored
from sourcebook.core.errors import SourcebookError

DATA_VARIABLE = "SOURCEBOOK_EVAL_DATA"


@dataclass(frozen=True, slots=True)
class Goal:
    """What is measured, on which files, and what it must reach."""

    what: str
    bound: float
    measure: Measurement
    needs: tuple[Path, ...] = ()


GOALS = {
    "scifact": Goal("SciFact test, nDCG@10", 0.745, sets.scifact, (sets.SCIFACT,)),
    "curriculum": Goal("curriculum, nDCG@10", 0.845, sets.curriculum, (sets.CURRICULUM,)),
    "follow-ups": Goal(
        "MTRAG cloud follow-ups (tuned on), R@5", 0.35, sets.follow_ups, (sets.MTRAG,)
    ),
    "terms": Goal("exact terms: the first hit holds it", 0.95, sets.exact_terms, (sets.BOOKS,)),
    "code-words": Goal("lessons that differ in one word: first", 1.0, sets.code_words),
}


def main() -> int:
    """Measure what was asked for; the exit code is 1 if a goal is not met or not measured."""
    options = argparse.ArgumentParser(prog="python -m bench.goals", description=__doc__)
    options.add_argument("--only", choices=list(GOALS), action="append", help="this goal alone")
    options.add_argument("--mode", help="how to search: dense, keyword or hybrid")
    options.add_argument("--keep", type=Path, help="keep the indexes here for the next run")
    given = options.parse_args()
    data = os.environ.get(DATA_VARIABLE)
    if not data:
        print(f"{DATA_VARIABLE} is not set: without a folder of the public sets, only those of our")
        print("own are measured. docs/evaluation.md says what belongs in it")
    run = Run(Path(data or "no-data"), given.mode, given.keep)
    rows, met = [], True
    for name in given.only or GOALS:
        goal = GOALS[name]
        missing = [str(path) for path in goal.needs if not (run.data / path).exists()]
        if missing:
            rows.append(f"| {goal.what} | | not measured: no {missing[0]} | ≥ {goal.bound:g} | | |")
            met = False
            continue
        started_s = time.monotonic()
        try:
            scored = asyncio.run(goal.measure(run))
        except SourcebookError as error:
            sys.exit(f"{name}: {error.message}")
        rows.append(_row(goal, scored))
        # At once: the sets after it take minutes.
        print(f"{rows[-1]} {time.monotonic() - started_s:.0f} s", flush=True)
        met &= scored.result.value >= goal.bound
    heads = "| set | questions | result (95 % interval) | goal | met | p50 / p95 ms |"
    print("\n".join(["", heads, "|---|---|---|---|---|---|", *rows]))
    return 0 if met else 1


def _row(goal: Goal, scored: Scored) -> str:
    found = scored.result
    result = f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"
    verdict = "yes" if found.value >= goal.bound else "**no**"
    times = f"{scored.p50_ms:.1f} / {scored.p95_ms:.1f}"
    return (
        f"| {goal.what} | {scored.questions} | {result} | ≥ {goal.bound:g} | {verdict} | {times} |"
    )


if __name__ == "__main__":
    sys.exit(main())
