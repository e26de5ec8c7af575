"""A book in a folder whose author never rests, and who knows every text that was ever in a file."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from sourcebook.ingestion.identity import lesson_id
from tests.chaos import dice
from tests.tiny_models import LETTERS

BOOK = "robots"
CHAPTER = "module-1-ros2/chapter-1-nodes"
# Never deleted or renamed, so a reader must always find them.
LASTING = tuple(f"{CHAPTER}/{number:02}-lasting.md" for number in range(1, 7))
PASSING = tuple(f"{CHAPTER}/{number:02}-passing.md" for number in range(11, 21))
# A section of so many words is a chunk of its own.
WORDS = 264


class Manuscript:
    """Changes one file at a time; every change is whole, as an editor's save is."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self._random = dice(seed)
        self._versions = itertools.count(1)
        self._texts: dict[str, list[str]] = {}

    def begin(self) -> None:
        """Write the first version of everything."""
        for path in (*LASTING, *PASSING[::2]):
            self.write(path)

    def write(self, path: str) -> None:
        """Write a version unlike any before: other sections, or another tier alone."""
        known = self.texts(path)
        if known and self._random.random() < 0.3:
            tier = self._random.randint(1, 4)
            _, _, body = known[-1].partition("\n---\n")
            self._save(path, f"{_front_matter(next(self._versions), tier)}{body}")
            return
        self._save(path, _text(path, next(self._versions), self._random.randint(1, 4)))

    def edit(self) -> None:
        """Make one change, whichever is possible."""
        there = [path for path in PASSING if (self.root / path).exists()]
        away = [path for path in PASSING if path not in there]
        changes: list[Callable[[], None]] = [
            lambda: self.write(self._random.choice(LASTING)),
            lambda: self.write(self._random.choice([*LASTING, *there])),
        ]
        if away:
            changes.append(lambda: self.write(self._random.choice(away)))
        if there:
            changes.append((self.root / self._random.choice(there)).unlink)
        if away and there:
            changes.append(
                lambda: self._rename(self._random.choice(there), self._random.choice(away))
            )
        self._random.choice(changes)()

    def texts(self, path: str) -> Sequence[str]:
        """Every text that the file has had, the newest last."""
        return self._texts.get(path, [])

    def files(self) -> dict[str, str]:
        """What there is now, by path."""
        return {path: self.texts(path)[-1] for path in self._texts if (self.root / path).exists()}

    def _rename(self, old: str, new: str) -> None:
        self._texts.setdefault(new, []).append(self.texts(old)[-1])
        (self.root / old).rename(self.root / new)

    def _save(self, path: str, text: str) -> None:
        # Known before it is there: a reader may be quick.
        self._texts.setdefault(path, []).append(text)
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.draft")
        draft.write_text(text)
        draft.replace(file)


def id_of(path: str) -> str:
    """The `parent_doc_id` of a file."""
    return lesson_id(BOOK, path)


def tier_of(text: str) -> int:
    """The tier that a version says it has."""
    return int(text.partition("hardware_tier: ")[2].partition("\n")[0])


def _text(path: str, version: int, tier: int) -> str:
    """The first section is the same in every version, so that its chunk always exists."""
    changing = [_section(f"Part {n}", f"{version} {path} {n}") for n in range(1 + version % 4)]
    sections = [_section("Beginning", path), *changing]
    return _front_matter(version, tier) + "\n" + "\n".join(sections)


def _front_matter(version: int, tier: int) -> str:
    return f"---\ntitle: Version {version}\nhardware_tier: {tier}\n---\n"


def _section(title: str, seed: str) -> str:
    letters = dice(sum(ord(character) * 31**n for n, character in enumerate(seed)))
    words = [letters.choice(LETTERS) for _ in range(WORDS)]
    lines = [" ".join(words[at : at + 12]) + "." for at in range(0, WORDS, 12)]
    return f"## {title}\n\n" + "\n".join(lines) + f"\n\nThe end of {seed}.\n"
