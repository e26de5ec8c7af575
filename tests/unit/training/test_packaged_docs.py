"""Which files of a package are read, and which of their passages are chosen."""

from pathlib import Path
from random import Random

import pytest
from training.packaged_docs import MAX_PASSAGES, RUN, chosen, is_page, licences_of
from training.prepared import Line


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        ("html/pump.html", True),
        ("html/en-US/pump.html", True),
        ("html/de-DE/pump.html", False),
        ("html/pump.fr.html", False),
        ("html/genindex.html", False),
        ("html/whats-new.html", False),
        ("pump.txt", False),
    ],
)
def test_pages_in_english_that_are_no_lists_are_read(
    tmp_path: Path, name: str, is_read: bool
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<p>The pump starts.</p>", encoding="utf-8")

    assert is_page(path, tmp_path) == is_read


def test_runs_are_chosen_whole_and_no_more_than_allowed() -> None:
    runs: list[list[Line]] = [
        [{"document": str(number), "order": order} for order in range(RUN)] for number in range(40)
    ]

    found = chosen(runs, Random(1))

    assert MAX_PASSAGES - RUN < len(found) <= MAX_PASSAGES
    assert [one["order"] for one in found] == [*range(RUN)] * (len(found) // RUN)


def test_each_licence_of_a_package_is_named_once(tmp_path: Path) -> None:
    folder = tmp_path / "usr/share/doc/heron-doc"
    folder.mkdir(parents=True)
    text = "Files: *\nLicense: Expat\n\nFiles: a\nLicense: Expat\n\nLicense: GPL-2+\n of the pump\n"
    (folder / "copyright").write_text(text, encoding="utf-8")

    assert licences_of(tmp_path, "heron-doc") == ["Expat", "GPL-2+"]
    assert licences_of(tmp_path, "ibis-doc") == ["in another package"]
