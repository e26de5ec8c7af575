"""`python -m tests.docs_check [PAGE …]`: runs the command blocks of the pages, says what differs.

The pages are README.md and everything in docs/, each in a fresh folder with a home and a port of
its own.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs_check.blocks import Block, Command, commands, find_blocks
from tests.docs_check.compare import difference
from tests.docs_check.shell import ROOT, Ran, Terminal, open_terminal


@dataclass(slots=True)
class PageReport:
    """What became of the blocks of one page."""

    ran: int = 0
    skipped: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def pages() -> list[Path]:
    """Return the pages with commands; decision records tell of the past."""
    documents = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in documents if page.parent.name != "decisions")]


def check_page(page: Path) -> PageReport:
    """Run the blocks of a page in order."""
    report, name = PageReport(), page.relative_to(ROOT)
    blocks = find_blocks(page.read_text("utf-8"))
    if not blocks:
        return report
    with open_terminal(page) as terminal:
        for block in blocks:
            if block.skip is not None:
                report.skipped.append(f"{name}:{block.line}: {block.skip}")
                continue
            failures = [f"{name}:{block.line}: {said}" for said in _failures(block, terminal)]
            report.ran += 1
            report.failures += failures
    return report


def _failures(block: Block, terminal: Terminal) -> Iterator[str]:
    for preparation in block.first:
        if (ran := terminal.run(preparation)).code != 0:
            yield f"the preparation `{preparation}` failed ({ran.code}): {ran.err.strip()}"
    if block.file is not None:
        path = terminal.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")
    elif block.language == "python":
        command = Command("the program", block.shown)
        yield from _judged(command, terminal.run_python(block.text))
    else:
        for command in commands(block):
            yield from _judged(command, terminal.run(command.text))


def _judged(command: Command, ran: Ran) -> Iterator[str]:
    what = command.text.partition("\n")[0]
    if command.shown is None:
        if ran.code != 0:
            yield f"`{what}` ended with {ran.code}:\n{(ran.out + ran.err).strip()[-2000:]}"
        return
    # People see both on a terminal; a page may show either.
    unlike = difference(command.shown, ran.out)
    if unlike is not None and difference(command.shown, ran.out + ran.err) is not None:
        yield f"`{what}` prints something else ({ran.code}):\n{unlike}\n{ran.err.strip()[-500:]}"


def main(names: list[str]) -> int:
    """Check the named pages, or all; return the exit code."""
    chosen = [Path(name).resolve() for name in names] or pages()
    ran, skipped, failures = 0, [], []
    for page in chosen:
        report = check_page(page)
        ran += report.ran
        skipped += report.skipped
        failures += report.failures
        counts = f"{report.ran} run, {len(report.skipped)} skipped, {len(report.failures)} failed"
        print(f"{page.relative_to(ROOT)}: {counts}")
        for failure in report.failures:
            print(f"FAILED {failure}\n")
        sys.stdout.flush()
    for reason in skipped:
        print(f"skipped {reason}")
    print(f"\n{ran} blocks run, {len(skipped)} skipped, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
