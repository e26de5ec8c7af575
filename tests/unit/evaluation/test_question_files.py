"""Question sets are read from our own form, from BEIR and MTRAG, and from mapped fields."""

import json
from pathlib import Path

import pytest

from sourcebook.core.errors import InvalidInput
from sourcebook.evaluation.beir import CorpusDocument, corpus_file, read_corpus
from sourcebook.evaluation.question_files import parse_fields, read_questions
from sourcebook.evaluation.questions import AnswerPlace, FileLines, JudgedQuestion

QRELS = "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n2\td3\t2\n"


def written(path: Path, *lines: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_a_question_of_our_own_form_has_all_that_is_known_of_it(tmp_path: Path) -> None:
    line = {
        "id": 7,
        "question": " How far? ",
        "relevant": {"knee.md": 2, "hip.md": 0},
        "answer": "2.27 radians",
        "answerable": True,
        "earlier": ["What is a knee?"],
    }

    (question,) = read_questions(written(tmp_path / "set.jsonl", line)).questions

    assert question == JudgedQuestion(
        "7",
        "How far?",
        {"knee.md": 2, "hip.md": 0},
        "2.27 radians",
        answerable=True,
        earlier=("What is a knee?",),
    )


@pytest.mark.parametrize("relevant", ["a.md", ["a.md"], {"a.md": 1}])
def test_relevant_ids_may_be_one_a_list_or_graded(relevant: object, tmp_path: Path) -> None:
    path = written(tmp_path / "set.jsonl", {"question": "What?", "relevant": relevant})

    (question,) = read_questions(path).questions

    assert (question.id, question.relevant) == ("1", {"a.md": 1})


def test_a_mapping_reads_other_fields_and_no_field_of_our_names(tmp_path: Path) -> None:
    line = {"id": "l2", "prompt": "What is SI?", "gold_lesson": "l2.md", "answer": False}
    path = written(tmp_path / "quiz.jsonl", line)

    found = read_questions(path, fields=parse_fields("question=prompt,relevant=gold_lesson"))

    assert found.name == "quiz"
    assert found.questions == (JudgedQuestion("l2", "What is SI?", {"l2.md": 1}),)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"prompt": "What?"}, r"needs a `question`.*\(it has: prompt\)"),
        ({"question": " "}, "needs a `question`"),
        ({"question": "What?", "relevant": [1]}, "needs ids as `relevant`"),
        ({"question": "What?", "relevant": {"a": -1}}, "needs ids as `relevant`"),
        ({"question": "What?", "relevant": {"a": True}}, "needs ids as `relevant`"),
        ({"question": "What?", "answer": 3}, "needs a text as `answer`"),
        ({"question": "What?", "answerable": "no"}, "needs true or false"),
        ({"question": "What?", "tuned_on": 1}, "needs true or false as `tuned_on`"),
        ({"question": "What?", "earlier": "Who?"}, "needs earlier questions"),
        ({"question": "What?", "id": [1]}, "needs a text or a number"),
        (["What?"], "is no JSON object"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_with_its_problem(
    line: object, says: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "set.jsonl", {"question": "Fine?"}, line)

    with pytest.raises(InvalidInput, match=f"Line 2 of '.*set.jsonl' .*{says}"):
        read_questions(path)


def test_two_questions_of_one_id_are_refused(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl", {"id": "a", "question": "1?"}, {"id": "a", "question": "2?"}
    )

    with pytest.raises(InvalidInput, match=r"Line 2 .* has the id 'a' of an earlier line"):
        read_questions(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "no question in"), (b"{", "Line 1 .* is no JSON"), (b"\xff", "not UTF-8")],
)
def test_a_file_that_is_no_set_says_why(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_bytes(content)

    with pytest.raises(InvalidInput, match=says):
        read_questions(tmp_path / "set.jsonl")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere.jsonl' cannot be read: No such file"):
        read_questions(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize("text", ["question", "question=", "text=prompt"])
def test_a_mapping_that_cannot_be_used_says_how_to_write_one(text: str) -> None:
    with pytest.raises(InvalidInput, match="question=prompt,relevant=source"):
        parse_fields(text)


@pytest.mark.parametrize("name", ["queries_test.jsonl", "queries.jsonl"])
def test_a_beir_folder_gives_the_judged_queries_of_its_split(name: str, tmp_path: Path) -> None:
    queries = [{"_id": str(n), "text": f"query {n}"} for n in (1, 2, 3)]
    written(tmp_path / name, *queries)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(QRELS, "utf-8")

    found = read_questions(tmp_path)

    assert found.questions == (
        JudgedQuestion("1", "query 1", {"d1": 1, "d2": 0}),
        JudgedQuestion("2", "query 2", {"d3": 2}),
    )
    with pytest.raises(InvalidInput, match=r"no split 'dev' .* Available: \['test'\]"):
        read_questions(tmp_path, split="dev")


def test_an_mtrag_query_is_its_last_turn_after_the_earlier_ones(tmp_path: Path) -> None:
    text = "|user|: Does it store JSON?\n|user|: Is there\na limit? "
    path = written(tmp_path / "questions.jsonl", {"_id": "1", "text": text})
    (tmp_path / "qrels.tsv").write_text(QRELS, "utf-8")

    (question,) = read_questions(path, qrels=tmp_path / "qrels.tsv").questions

    assert (question.earlier, question.text) == (("Does it store JSON?",), "Is there\na limit?")
    assert question.conversation == "Does it store JSON?"


def test_queries_without_judgements_say_how_to_name_them(tmp_path: Path) -> None:
    path = written(tmp_path / "queries.jsonl", {"_id": "1", "text": "What?"})

    with pytest.raises(InvalidInput, match="--qrels"):
        read_questions(path)


def test_a_judgement_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path / "queries.jsonl", {"_id": "1", "text": "What?"})
    (tmp_path / "qrels.tsv").write_text("1\td1\t1\n1 d2 1\n", "utf-8")

    with pytest.raises(InvalidInput, match=r"Line 2 .* is no judgement"):
        read_questions(path, qrels=tmp_path / "qrels.tsv")


def test_a_corpus_gives_its_documents_with_titles_and_without_blank_ones(tmp_path: Path) -> None:
    path = written(
        tmp_path / "corpus.jsonl",
        {"_id": "a", "title": "Knees", "text": "They bend."},
        {"_id": "b", "title": "", "text": " \n"},
        {"_id": 3, "text": "No title."},
    )

    documents = list(read_corpus(path))

    assert documents == [
        CorpusDocument("a", "Knees", "They bend."),
        CorpusDocument("3", "", "No title."),
    ]
    assert [one.whole for one in documents] == ["Knees\nThey bend.", "No title."]
    assert corpus_file(tmp_path) == corpus_file(path) == path
    assert corpus_file(tmp_path / "elsewhere") is None


def test_a_limit_takes_the_first_questions(tmp_path: Path) -> None:
    path = written(tmp_path / "set.jsonl", {"question": "1?"}, {"question": "2?"})

    assert [one.text for one in read_questions(path).first(1).questions] == ["1?"]
    assert len(read_questions(path).first(None).questions) == 2


def test_places_are_lines_of_files_and_their_files_are_what_should_be_found(tmp_path: Path) -> None:
    places = [
        {"path": "ros.md", "lines": [3, 5]},
        {"path": "ros.md", "lines": [9, 9], "side": "master", "words": "one for all"},
    ]
    line = {"question": "What is a node?", "places": places, "tuned_on": True}
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(line), "utf-8")

    [question] = read_questions(file).questions

    assert question.places == (
        AnswerPlace(FileLines("ros.md", 3, 5)),
        AnswerPlace(FileLines("ros.md", 9, 9), "master", "one for all"),
    )
    assert question.relevant == {"ros.md": 1}
    assert question.has_answer
    assert question.tuned_on


@pytest.mark.parametrize(
    "places",
    [
        "ros.md",
        [{"path": "ros.md"}],
        [{"path": "ros.md", "lines": [3]}],
        [["ros.md", 3]],
        [{"path": "ros.md", "lines": [3, 5], "side": 1}],
        [{"path": "ros.md", "lines": [3, 5], "side": " "}],
        [{"path": "ros.md", "lines": [3, 5], "words": ["one"]}],
        [{"path": "ros.md", "lines": [5, 3]}],
        [{"path": "ros.md", "lines": [0, 3]}],
    ],
)
def test_places_that_are_no_lines_are_refused(tmp_path: Path, places: object) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"question": "What is a node?", "places": places}), "utf-8")

    with pytest.raises(InvalidInput, match="needs lines of files as `places`"):
        read_questions(file)
