"""`python -m bench [--quick] [--only NAME] [--against FILE]`: measure and write bench/results."""

import argparse
import json
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench.against import Stored, read_earlier, report
from bench.machine import describe_machine, has_amx
from bench.measurements import (
    agent,
    chat,
    embedding,
    filtered,
    follow_up,
    formats,
    grounding,
    ingestion_growth,
    ingestion_push,
    ingestion_rate,
    ingestion_search,
    labelled,
    loop_lag,
    overhead,
    posting,
    query,
    reader,
    startup,
    workers,
)
from bench.pages import origin_of_pages
from bench.processes import PEER_BIN
from bench.run import ROUNDS, Run
from bench.table import Row, markdown
from bench.texts import read_texts

MEASUREMENTS = {
    "embedding": embedding.measure,
    "query": query.measure,
    "filtered": filtered.measure,
    "startup": startup.measure,
    "workers": workers.measure,
    "overhead": overhead.measure,
    "loop_lag": loop_lag.measure,
    "ingestion_rate": ingestion_rate.measure,
    "ingestion_growth": ingestion_growth.measure,
    "ingestion_search": ingestion_search.measure,
    "ingestion_push": ingestion_push.measure,
    "posting": posting.measure,
    "grounding": grounding.measure,
    "labelled": labelled.measure,
    "follow_up": follow_up.measure,
    "chat": chat.measure,
    "reader": reader.measure,
    "agent": agent.measure,
    "formats": formats.measure,
}
# They compare with the peers, which must be installed.
WITH_PEERS = frozenset({"embedding", "query", "filtered"})
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run what was asked for.

    The exit code is 1 if a measurement could not be made, or fell since the earlier result.
    """
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--quick", action="store_true", help="small amounts, to try it out")
    known = ", ".join(MEASUREMENTS)
    options.add_argument("--only", metavar="NAME", help=f"those whose name begins so: {known}")
    options.add_argument(
        "--against",
        metavar="FILE",
        type=Path,
        help="print what fell by more than a fifth since this result of bench/results;"
        " bench/results/LAST for the newest of each row",
    )
    given = options.parse_args()
    names = [name for name in MEASUREMENTS if name.startswith(given.only or "")]
    if not names:
        options.error(f"no measurement begins with {given.only!r}")
    # Before the hours of measuring, and before this run is the last one.
    earlier = read_earlier(given.against, has_amx=has_amx()) if given.against else {}
    # So that being stopped ends the servers and the peers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped"))
    if not WITH_PEERS.isdisjoint(names) and not (PEER_BIN / "python").exists():
        sys.exit("The peers are not installed. Run `make bench`, which does that first")
    about = {"date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", **describe_machine()}
    about["text"] = read_texts(1, 1).origin
    about["pages"] = origin_of_pages()
    about["rounds"] = f"{ROUNDS}, interleaved{', quick: not to be quoted' if given.quick else ''}"
    label = ["quick" if given.quick else "full", *([given.only] if given.only else [])]
    rows, failed = _measured(names, quick=given.quick)
    kept = _write(about, rows, failed, "-".join(label))
    said, fell = report(kept, earlier) if earlier else ("", False)
    print(said)
    return 1 if failed or fell else 0


def _measured(names: Sequence[str], *, quick: bool) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    failed: list[str] = []
    for name in names:
        started_s = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as folder:
            try:
                found = MEASUREMENTS[name](Run(Path(folder), quick=quick))
            except Exception:  # noqa: BLE001 - one that fails must not cost the others
                traceback.print_exc()
                failed.append(name)
                continue
        print(f"\n{name}, {time.monotonic() - started_s:.0f} s\n\n{markdown(found)}", flush=True)
        rows += found
    return rows, failed


def _write(about: dict[str, str], rows: Sequence[Row], failed: Sequence[str], label: str) -> Stored:
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / f"{datetime.now(UTC):%Y-%m-%d}-{label}"
    parts = ["# Sourcebook beside its peers", ""]
    parts += [f"- {name}: {value}" for name, value in about.items()]
    parts += ["", markdown(rows), "", "A result is the median of the rounds (least to greatest)."]
    parts += [f"\nCould not be measured: {', '.join(failed)}."] if failed else []
    stem.with_suffix(".md").write_text("\n".join(parts) + "\n", "utf-8")
    kept = [{**asdict(row), "median": row.median, "met": row.verdict == "yes"} for row in rows]
    stored = {"about": about, "rows": kept, "failed": list(failed)}
    stem.with_suffix(".json").write_text(json.dumps(stored, indent=2) + "\n", "utf-8")
    print(f"\nWritten to {stem.relative_to(RESULTS.parent.parent)}.md and .json")
    return stored


if __name__ == "__main__":
    sys.exit(main())
