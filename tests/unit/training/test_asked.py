"""Questions on passages of documentations: each says which sentences answer, and quotes none."""

import json
from pathlib import Path

from training.asked_passages import FOLDER, asked_passages
from training.prepare import written
from training.runs_of_passages import key_of, written_runs
from training.sources import Passage

TEXT = "The queue holds 40 letters. A letter that is not read in a week is burnt."


def test_each_passage_is_asked_about_once_and_none_for_development_is_trained_on() -> None:
    trained, aside = (
        [key for line in written_runs(FOLDER, development=kept) for key in line["passages"]]
        for kept in (False, True)
    )

    assert len({*trained, *aside}) == len(trained) + len(aside) > 300
    assert aside


def test_a_question_has_the_numbers_of_sentences_and_nothing_of_the_passage() -> None:
    for path in FOLDER.glob("*.jsonl"):
        for text in path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            assert list(line) == ["passages", "answered", "missing"]
            assert all(n >= 1 for _, numbers in line["answered"] for n in numbers)
            assert all(isinstance(question, str) for question in line["missing"])


def test_the_answer_is_found_in_the_passage(tmp_path: Path) -> None:
    line = {
        "passages": [key_of(TEXT)],
        "answered": [["how soon is mail destroyed", [2]]],
        "missing": ["Who burns a letter?"],
    }
    elsewhere = line | {"passages": [key_of("Another version.")]}
    lines = "\n".join(map(json.dumps, (line, elsewhere)))
    (tmp_path / "post.jsonl").write_text(lines, encoding="utf-8")

    (text,) = asked_passages({7: Passage(7, "post", "a.md", 0, "Post", TEXT)}, tmp_path)

    assert [(one.kind, one.answer, one.sentences) for one in text.questions] == [
        ("answered", TEXT[28:], (1,)),
        ("near_miss", "", ()),
    ]
    assert [one.kind for one in written(text, "asked", "asked_miss")] == ["asked", "asked_miss"]
