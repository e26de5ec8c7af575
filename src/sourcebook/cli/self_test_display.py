"""Says what a self-test found, and which questions are lost."""

from rich.console import Console
from rich.text import Text

from sourcebook.cli.terminal import counted, strip_controls
from sourcebook.surfaces.book.ingestion_schemas import LostProbeOut, SelfTestOut

MAX_SHOWN_LOST = 10
COMMIT_LENGTH = 10


def summary(test: SelfTestOut) -> str:
    """Say in a line how many questions find their lessons."""
    if not test.probes:
        return "no heading or first sentence to ask about"
    checked = test.probes - test.unchecked
    said = [f"{test.found:,} of {counted(checked, 'question')} find their lesson"]
    said += [f"{test.lost:,} lost"] if test.lost else []
    said += [f"{test.never_found:,} never did"] if test.never_found else []
    said += [f"{test.unchecked:,} left for the next run"] if test.unchecked else []
    return ", ".join(said)


def show_lost(test: SelfTestOut, console: Console) -> None:
    """Print the questions that can no longer be found; nothing if there are none."""
    if not test.lost:
        return
    message = f"{counted(test.lost, 'question')} can no longer be found:"
    console.print(Text(message, style="yellow"))
    lines = [f"{_line(probe)} (new, {_when(probe)})" for probe in test.newly_lost]
    lines += [f"{_line(probe)} (since {_when(probe)})" for probe in test.still_lost]
    shown = lines[:MAX_SHOWN_LOST]
    for line in shown:
        console.print(f"  {line}")
    if test.lost > len(shown):
        console.print(f"  and {test.lost - len(shown):,} more")


def _line(probe: LostProbeOut) -> str:
    return f"{strip_controls(probe.path)}: {strip_controls(probe.question)}"


def _when(probe: LostProbeOut) -> str:
    if probe.lost_commit is not None:
        return f"commit {strip_controls(probe.lost_commit)[:COMMIT_LENGTH]}"
    return f"{probe.lost_at:%Y-%m-%d %H:%M} UTC"
