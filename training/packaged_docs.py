"""Makes passages of documentations that Debian packages: `python -m training.packaged_docs OUT`.

Nobody has written questions for them. They are what the reader has seen least of: documentations
of many kinds of software.
"""

import argparse
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from sourcebook.providers.converters.text import decode_text
from training.documentation_pages import passages_of
from training.prepared import PASSAGES_FILE, Line, save_lines
from training.question_rules import sentences_of, with_sentences
from training.sources import Passage

SEED = 19
PACKAGES = Path(__file__).with_name("packages.txt")
FIRST_ID = 3_000_000
MAX_PASSAGES = 110
# Pages are read until there are so many times as many to choose from.
CHOICE = 2
# Neighbours are the best wrong answers, so they are chosen together.
RUN = 12
MAX_PAGE_BYTES = 4_000_000
DOWNLOAD_TIMEOUT_S = 300
_PAGES = (".html", ".htm", ".xhtml", ".html.en")
_NO_CONTENT = re.compile(
    r"genindex|modindex|\bsearch\.|licen[cs]e|copying|copyright|change(?:s|log)|\bnews\b|release"
    r"|whats?[-_]?new|history|authors|credits|bibliograph|javadoc|doxygen|_modules|\bapi(?:doc|ref)?/"
    r"|(?:^|/)(?:theindex|ix\d+|idx|index-all|toc)\b|/function\.|/(?:man|man\d|examples?|tests?)/",
    re.IGNORECASE,
)
_OTHER_LANGUAGE = re.compile(
    r"(?:/|[._-])(?:ar|ca|cs|da|de|el|es|fi|fr|hr|hu|it|ja|ko|nb|nl|pl|pt|ro|ru|sv|tr|uk|vi|zh)"
    r"(?:[-_][A-Za-z]{2,5})?(?:/|\.html?)|/(?!en)[a-z]{2}[-_][A-Z]{2}/"
)
# What the reader is trained or measured on elsewhere.
_ELSEWHERE = re.compile(
    r"kubernetes|prometheus|docusaurus|django|fastapi|scikit|sklearn|owasp|github|gazebo|wikipedia"
    r"|\b(?:ros|ros2|react|vue|rust|cargo|k8s)\b",
    re.IGNORECASE,
)


def make_passages(out: Path, packages: Iterable[str], debs: Path) -> None:
    """Write the passages of the packages, and the names of their licences."""
    random = Random(SEED)
    out.mkdir(parents=True, exist_ok=True)
    passages: list[Line] = []
    licences = []
    known: set[str] = set()
    for package in packages:
        with TemporaryDirectory() as name:
            folder = Path(name)
            unpack(downloaded(package, debs), folder)
            found = chosen(read_runs(folder, package, known, random), random)
            licences.append(f"{package}: {', '.join(licences_of(folder, package))}\n")
        passages += found
        print(f"{package}: {len(found)}", flush=True)
    numbered = (line | {"id": FIRST_ID + number} for number, line in enumerate(passages))
    save_lines(out / PASSAGES_FILE, numbered)
    (out / "licences.txt").write_text("".join(licences), encoding="utf-8")
    print(f"{len(passages)} passages of {len(licences)} packages")


def downloaded(package: str, debs: Path) -> Path:
    """The file of a package, which is downloaded if it is not there."""
    debs.mkdir(parents=True, exist_ok=True)
    if not any(debs.glob(f"{package}_*.deb")):
        command = ["/usr/bin/apt-get", "download", package]
        subprocess.run(command, cwd=debs, check=True, timeout=DOWNLOAD_TIMEOUT_S)  # noqa: S603
    return next(debs.glob(f"{package}_*.deb"))


def unpack(deb: Path, folder: Path) -> None:
    """Write what a package holds into a folder; nothing is installed."""
    command = ["/usr/bin/dpkg-deb", "-x", str(deb), str(folder)]
    subprocess.run(command, check=True, timeout=DOWNLOAD_TIMEOUT_S)  # noqa: S603


def read_runs(folder: Path, package: str, known: set[str], random: Random) -> list[list[Line]]:
    """Runs of passages that follow one another, of pages in any order, none known before."""
    pages = [path for path in sorted(folder.rglob("*")) if is_page(path, folder)]
    random.shuffle(pages)
    runs: list[list[Line]] = []
    for page in pages:
        lines = list(_lines(page, folder, package, known))
        runs += [lines[start : start + RUN] for start in range(0, len(lines), RUN)]
        if sum(map(len, runs)) >= CHOICE * MAX_PASSAGES:
            break
    return runs


def is_page(path: Path, folder: Path) -> bool:
    """Whether a file is a page of documentation in English."""
    name = f"/{path.relative_to(folder).as_posix()}"
    if not name.lower().endswith(_PAGES) or _NO_CONTENT.search(name):
        return False
    is_file = path.is_file() and not path.is_symlink()
    return is_file and not _OTHER_LANGUAGE.search(name) and path.stat().st_size < MAX_PAGE_BYTES


def _lines(page: Path, folder: Path, package: str, known: set[str]) -> Iterator[Line]:
    name = page.relative_to(folder).as_posix()
    order = 0
    for heading, text in passages_of(decode_text(page.read_bytes())[0]):
        beginning = "".join(filter(str.isalpha, text.lower()))[:150]
        if beginning in known or _ELSEWHERE.search(f"{name} {heading}"):
            continue
        known.add(beginning)
        document = name.removeprefix(f"usr/share/doc/{package}/")
        passage = Passage(0, package, document, order, heading, text)
        yield with_sentences(passage, sentences_of(passage))
        order += 1


def chosen(runs: list[list[Line]], random: Random) -> list[Line]:
    """Whole runs, in any order, until there are enough passages."""
    random.shuffle(runs)
    found: list[Line] = []
    for run in runs:
        if len(found) + len(run) <= MAX_PASSAGES:
            found += run
    return found


def licences_of(folder: Path, package: str) -> list[str]:
    """The names of the licences in the copyright file of a package, each once."""
    path = folder / "usr/share/doc" / package / "copyright"
    if not path.is_file():
        return ["in another package"]
    named = re.findall(r"^License:[ \t]*(\S.*)$", path.read_text("utf-8", "replace"), re.MULTILINE)
    return list(dict.fromkeys(name.strip() for name in named)) or ["not in a readable form"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="where to write the passages")
    parser.add_argument("--debs", type=Path, default=Path("debs"), help="where the packages are")
    arguments = parser.parse_args()
    make_passages(arguments.out, PACKAGES.read_text(encoding="utf-8").split(), arguments.debs)
