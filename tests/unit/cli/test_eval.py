"""`eval` on the terminal: what is compared, what is printed, what is kept, and how it exits."""

import json
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from sourcebook.cli.eval_display import remarks_on, show_report, show_shortfalls
from sourcebook.cli.eval_index import isolated
from sourcebook.cli.eval_options import Configuration, Place, parse_against
from sourcebook.cli.eval_record import Recorder, keep_marked, parse_mark, record_questions
from sourcebook.cli.main import app
from sourcebook.core.errors import InvalidInput
from sourcebook.core.feedback import Mark
from sourcebook.evaluation.question_files import read_questions
from sourcebook.evaluation.questions import JudgedQuestion
from sourcebook.evaluation.report import Report, compare, summarise
from sourcebook.evaluation.runs import FoundHit, GivenAnswer
from sourcebook.service.config.settings import Settings, load_settings
from tests.tiny_models import save_tiny_embedder
from tests.unit.evaluation.outcomes import hit, outcome

BASE = Configuration(Place(url="http://here"), book="robots")
HITS = [hit("d1", "c1"), hit("d2", "c2"), hit("d3", "c3")]
GOOD = outcome(["a"], {"a": 1}, id="good")
BAD = outcome(["b"], {"a": 1}, id="bad")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mode=dense", Configuration(BASE.place, "robots", None, "dense")),
        ("collection=notes", Configuration(BASE.place, None, "notes")),
        ("https://there", Configuration(Place(url="https://there"), "robots")),
        ("old/data", Configuration(Place(data_dir=Path("old/data")), "robots")),
        (
            "data-dir=d, mode=hybrid",
            Configuration(Place(None, Path("d")), "robots", None, "hybrid"),
        ),
        ("documents=docs", Configuration(Place(documents=Path("docs")), "robots")),
    ],
)
def test_the_other_configuration_is_the_first_with_changes(
    text: str, expected: Configuration
) -> None:
    assert parse_against(text, BASE) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [("speed=3", "mode=dense"), ("mode=", "mode=dense"), ("book=robots", "the same")],
)
def test_a_comparison_that_cannot_be_made_says_why(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        parse_against(text, BASE)


def test_only_one_place_can_be_searched() -> None:
    with pytest.raises(InvalidInput, match="--url, --data-dir and --documents"):
        Configuration(Place(url="http://here", documents=Path("docs")))
    with pytest.raises(InvalidInput, match="--book and --collection"):
        Configuration(Place(), "robots", "notes")


def test_a_temporary_index_knows_nothing_of_the_users_stores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QDRANT_URL", "https://mine")
    monkeypatch.setenv("SOURCEBOOK_LEDGER_URL", "postgresql://mine")
    monkeypatch.setenv("DATABASE_URL", "postgresql://mine")
    monkeypatch.setenv("SOURCEBOOK_DOCS_REPOSITORY", "https://mine/book.git")
    monkeypatch.setenv("SOURCEBOOK_LLM", "ollama:llama3.2")
    settings = load_settings(data_dir=tmp_path / "mine")

    own = isolated(settings, tmp_path / "new", tmp_path / "docs", None)

    fresh = Settings.model_construct()
    differing = {
        name for name in Settings.model_fields if getattr(own, name) != getattr(fresh, name)
    }
    assert differing == {"data_dir", "docs_path", "llm", "max_probes"}
    assert own.data_dir == tmp_path / "new"


def test_the_table_shows_metrics_differences_and_answers() -> None:
    refusal = outcome([], {}, answerable=False, answer=GivenAnswer(answered=False, text=""))
    new, old = summarise("new", [GOOD, refusal]), summarise("old", [BAD, refusal])
    shown = StringIO()

    show_report(Report("robots", new, old, compare(new, old)), Console(file=shown, width=80))

    rows = {row[0]: row[1:] for line in shown.getvalue().splitlines() if (row := columns(line))}
    assert rows["robots"] == ["new", "old", "difference", "p"]
    assert rows["nDCG@10"] == ["1.000", "0.000", "+1.000 (+1.000 to +1.000)", "1.000"]
    assert rows["search p95"] == ["1.0 ms", "1.0 ms"]
    assert rows["Refusal recall"] == ["1.000 (1/1)", "1.000 (1/1)"]


def columns(line: str) -> list[str]:
    return [part.strip() for part in re.split(r"  +", line.strip()) if part]


def test_names_that_a_set_and_the_hits_do_not_share_are_pointed_out() -> None:
    strangers = [outcome(["b"], {"docs/a.md": 1}), outcome(["c"], {"docs/x.md": 1})]

    (remark,) = remarks_on(summarise("here", strangers))
    (empty,) = remarks_on(summarise("here", [outcome([], {"a": 1}), outcome([], {"a": 1})]))
    (unjudged,) = remarks_on(summarise("here", [GOOD, outcome(["a"], {})]))

    assert "It wants 'docs/a.md'; a hit is known as 'b'" in remark
    assert "No search found anything" in empty
    assert unjudged.startswith("1 question without a relevant document")
    assert not list(remarks_on(summarise("here", [GOOD, BAD])))


def test_a_threshold_is_missed_only_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("robots", summarise("here", [GOOD, BAD]))

    assert not show_shortfalls(report, [("ndcg", 0.5)])
    assert show_shortfalls(report, [("ndcg", 0.51), ("gold_cited", 0.1)])

    said = capsys.readouterr().err
    assert "ndcg is 0.5000, and must be 0.51 at least" in said
    assert "gold_cited is not measured" in said


@pytest.mark.parametrize(
    ("mark", "relevant", "answerable"),
    [
        ("y", {"d1": 1}, None),
        ("2", {"d2": 1}, None),
        ("1, 3", {"d1": 1, "d3": 1}, None),
        ("N", {"d1": 0, "d2": 0, "d3": 0}, None),
        ("u", {}, False),
    ],
)
def test_a_mark_names_the_right_hits(
    mark: str, relevant: dict[str, int], answerable: bool | None
) -> None:
    verdict = parse_mark(mark, HITS)

    assert (verdict.relevant, verdict.answerable) == (relevant, answerable)


@pytest.mark.parametrize("mark", ["", "4", "0", "maybe", "1 x", "²"])
def test_a_mark_that_means_nothing_says_which_ones_do(mark: str) -> None:
    with pytest.raises(InvalidInput, match="y if the first is right"):
        parse_mark(mark, HITS)


def test_recorded_questions_are_a_question_set(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text('{"question": "First?", "relevant": ["a.md"]}', "utf-8")
    recorder = Recorder(file)

    recorder.keep("Second?", parse_mark("1,2", HITS))
    recorder.keep("Third?", parse_mark("n", HITS))
    recorder.keep("Fourth?", parse_mark("u", HITS))

    questions = read_questions(file).questions
    assert [one.text for one in questions] == ["First?", "Second?", "Third?", "Fourth?"]
    assert [one.is_searchable for one in questions] == [True, True, False, False]
    assert [one.answerable for one in questions] == [None, None, None, False]
    with pytest.raises(InvalidInput, match=r"'Second\?' is in .* already"):
        Recorder(file).check_new(" Second? ")


def test_what_readers_marked_becomes_a_question_set_and_is_kept_once(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    marks = [
        Mark("1", "How far?", "answer", "right", 1.0, sources=("a.md",)),
        Mark("2", "How near?", "hit", "wrong", 2.0, sources=("b.md",)),
        Mark("3", "Who painted it?", "refusal", "right", 3.0),
    ]

    assert keep_marked(marks, Recorder(file)) == 3
    assert keep_marked(marks, Recorder(file)) == 0

    found = read_questions(file).questions
    assert [(one.text, one.relevant, one.answerable) for one in found] == [
        ("How far?", {"a.md": 1}, True),
        ("How near?", {"b.md": 0}, None),
        ("Who painted it?", {}, False),
    ]


class FakeTarget:
    async def search(self, question: JudgedQuestion) -> Sequence[FoundHit]:
        return HITS

    async def ask(self, question: JudgedQuestion) -> GivenAnswer:
        raise NotImplementedError


async def test_questions_are_asked_for_until_an_empty_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A mark that is none is asked for again; an empty one skips; a known question is refused.
    said = ["First?", "9", "2", "Second?", "", "First?", "Third?", "y", ""]
    monkeypatch.setattr("sys.stdin", StringIO("\n".join(said) + "\n"))
    file = tmp_path / "set.jsonl"

    kept = await record_questions(FakeTarget(), Recorder(file))

    assert kept == 2
    found = {one.text: one.relevant for one in read_questions(file).questions}
    assert found == {"First?": {"d2": 1}, "Third?": {"d1": 1}}
    assert "The mark '9' cannot be used" in capsys.readouterr().err


@pytest.fixture
def embeddings(tmp_path: Path) -> Path:
    """A config with a model whose words are single letters."""
    save_tiny_embedder(tmp_path / "tiny")
    config = tmp_path / "embeddings.yml"
    config.write_text("embeddings:\n  - id: tiny\n    path: ./tiny\n", "utf-8")
    return config


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """Texts of single letters; the second query asks for a document that is not there."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    texts = {"one": "a b c d", "two": "w x y z"}
    lines = [json.dumps({"_id": id_, "text": text}) for id_, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines), "utf-8")
    queries = [{"_id": "1", "text": "a b c d"}, {"_id": "2", "text": "w x y z"}]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), "utf-8")
    (folder / "qrels" / "test.tsv").write_text("1\tone\t1\n2\tthree\t1\n", "utf-8")
    return folder


def evaluate(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


def test_a_corpus_is_measured_and_reported_and_leaves_nothing(
    beir: Path, embeddings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    monkeypatch.setenv("SOURCEBOOK_DATA_DIR", str(mine))
    asked = [beir, "--documents", beir, "--embeddings-config", embeddings]
    files = ["--json", tmp_path / "report.json", "--html", tmp_path / "report.html"]

    done = evaluate(*asked, *files, "--fail-under", "ndcg=0.6")

    assert (done.exit_code, "ndcg is 0.5000" in done.output) == (1, True), done.output
    written = json.loads((tmp_path / "report.json").read_text("utf-8"))
    (side,) = written["sides"]
    assert [one["rank"] for one in side["questions"]] == [1, None]
    assert "w x y z" in (tmp_path / "report.html").read_text("utf-8")
    assert not mine.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.jsonl"], "'nowhere.jsonl' cannot be read"),
        (["set.jsonl", "--fail-under", "x=1"], "--fail-under 'x=1' cannot be used"),
        (["set.jsonl", "--html", "no/such/folder.html"], "cannot be written"),
        (["set.jsonl", "--documents", "no-docs"], "There are no documents at 'no-docs'"),
        (["set.jsonl", "--data-dir", "nothing"], "There is no Sourcebook data"),
        (["set.jsonl", "--html", "."], "it is a folder"),
        (["set.jsonl", "--url", "http://here", "--llm", "x"], "--llm x cannot be used with --url"),
        (["set.jsonl", "--against", "book="], "--against 'book=' cannot be used"),
        (["record", "set.jsonl", "--mark", "y"], "--mark needs the question"),
        (["record", "set.jsonl", "How far?", "--from-marks"], "leave out your own"),
    ],
)
def test_what_cannot_be_measured_exits_with_2_and_says_why(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "set.jsonl").write_text('{"question": "What?", "relevant": ["a"]}\n', "utf-8")

    done = evaluate(*arguments)

    assert done.exit_code == 2
    assert says in done.output
