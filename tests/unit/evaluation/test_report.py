"""A report holds metrics by group, differences, answers and the worst misses."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from sourcebook.cli.eval_display import remarks_on
from sourcebook.core.errors import InvalidInput
from sourcebook.evaluation.answers import Share, Verdict, judge, score_answers
from sourcebook.evaluation.html_report import html_report
from sourcebook.evaluation.plots import rank_bars
from sourcebook.evaluation.questions import AnswerPlace, FileLines, JudgedQuestion
from sourcebook.evaluation.report import (
    Report,
    compare,
    parse_threshold,
    report_json,
    summarise,
    worst_misses,
    wrong_answers,
)
from sourcebook.evaluation.runs import CitedQuote, FoundHit, GivenAnswer, Outcome
from tests.unit.evaluation.outcomes import outcome

GOOD = outcome(["a"], {"a": 1}, id="good")
BAD = outcome(["b", "c"], {"a": 1}, id="bad")
LATE = outcome(["b", "a"], {"a": 1}, id="late")
REFUSED = GivenAnswer(answered=False, text="I do not know")


def answered(*quotes: str) -> GivenAnswer:
    return GivenAnswer(True, "It does.", tuple(map(CitedQuote, quotes)))


def citing(*lines: tuple[int, int], path: str = "hip.md", text: str = "So.") -> GivenAnswer:
    quotes = (CitedQuote(text, FileLines(path, *one)) for one in lines)
    return GivenAnswer(True, "So.", tuple(quotes))


JUDGED = [
    (outcome([], {}, answerable=False, answer=REFUSED), Verdict.RIGHTLY_REFUSED),
    (outcome([], {}, answerable=False, answer=answered("made up")), Verdict.WRONGLY_ANSWERED),
    (outcome([], {}, answerable=True, answer=REFUSED), Verdict.WRONGLY_REFUSED),
    (outcome([], {}, answerable=True, answer=answered("so")), Verdict.ANSWERED),
    (outcome([], {}, gold="2.27  Radians", answer=answered("to 2.27\nradians.")), Verdict.RIGHT),
    (outcome([], {}, gold="130°", answer=answered("the hip")), Verdict.NOT_CITED),
    (outcome([], {}, gold="130°", answer=REFUSED), Verdict.WRONGLY_REFUSED),
    (outcome([], {}), None),
]


def plots(page: str) -> list[str]:
    return re.findall(r"<svg.*?</svg>", page, re.DOTALL)


def test_follow_ups_are_also_counted_alone() -> None:
    follow_up = outcome(["b"], {"a": 1}, id="next", earlier=["What is good?"])

    groups = summarise("here", [GOOD, follow_up]).groups

    assert [(one.name, one.count, one.metrics["r1"].value) for one in groups] == [
        ("all", 2, 0.5),
        ("first questions", 1, 1.0),
        ("follow-ups", 1, 0.0),
    ]
    assert [one.name for one in summarise("here", [GOOD, BAD]).groups] == ["all"]


def test_questions_without_a_relevant_document_have_no_metrics() -> None:
    side = summarise("here", [outcome(["a"], {}), outcome(["a"], {"a": 0}), GOOD])

    assert len(side.outcomes) == 3
    assert side.measured == [GOOD]
    assert side.groups[0].count == 1
    assert summarise("here", [outcome(["a"], {})]).groups == ()


def test_the_worst_misses_come_first_and_nothing_perfect_is_among_them() -> None:
    missed = worst_misses(summarise("here", [GOOD, LATE, BAD]))

    assert [one.question.id for one, _ in missed] == ["bad", "late"]


def test_a_difference_is_taken_question_by_question() -> None:
    better = summarise("new", [outcome(["a"], {"a": 1}, id=str(n)) for n in range(12)])
    worse = summarise("old", [outcome(["b", "a"], {"a": 1}, id=str(n)) for n in range(12)])

    found = compare(better, worse)

    assert found["r1"].gain.value == 1.0
    assert found["r1"].p_value < 0.01
    assert (found["r5"].gain.value, found["r5"].p_value) == (0.0, 1.0)


def test_refusals_have_precision_and_recall() -> None:
    scores = score_answers([one for one, _ in JUDGED])

    assert scores is not None
    assert scores.refusal_precision == Share(1, 3)
    assert scores.refusal_recall == Share(1, 2)
    assert scores.gold_cited == Share(1, 2)
    assert scores.right == Share(1, 3)


def test_characters_beside_the_lines_of_a_place_are_counted() -> None:
    asked = JudgedQuestion("1", "So?", places=(AnswerPlace(FileLines("hip.md", 2, 2)),))
    scores = score_answers([Outcome(asked, (), 0.0, citing((1, 3), text="one\ntwo\nfour!"))])

    assert scores is not None
    assert scores.on_place == Share(len("two\n"), len("one\ntwo\nfour!"))


def test_every_answer_is_judged_and_the_most_harmful_come_first() -> None:
    side = summarise("here", [one for one, _ in JUDGED])

    assert [judge(one) for one, _ in JUDGED] == [verdict for _, verdict in JUDGED]
    assert [judge(one) for one in wrong_answers(side)] == [
        Verdict.WRONGLY_ANSWERED,
        Verdict.NOT_CITED,
        Verdict.WRONGLY_REFUSED,
        Verdict.WRONGLY_REFUSED,
    ]
    assert len(wrong_answers(side, limit=2)) == 2


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (citing((3, 5)), Verdict.RIGHT),
        (citing((1, 4)), Verdict.RIGHT),
        (citing((3, 3), (5, 9)), Verdict.RIGHT),
        (citing((1, 3)), Verdict.NOT_CITED),
        (citing((3, 3), (1, 3)), Verdict.NOT_CITED),
        (citing((6, 9)), Verdict.NOT_CITED),
        (citing((3, 5), path="arm.md"), Verdict.NOT_CITED),
    ],
)
def test_an_answer_is_right_if_it_cites_the_greater_part_of_the_lines_of_a_place(
    given: GivenAnswer, verdict: Verdict
) -> None:
    known = JudgedQuestion("1", "How far?", places=(AnswerPlace(FileLines("hip.md", 3, 5)),))

    assert judge(Outcome(known, (), 1.0, given)) is verdict


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (citing((3, 3), text="It bends to _13\nDegrees_."), Verdict.RIGHT),
        (citing((3, 5), text="It bends."), Verdict.NOT_CITED),
        (citing((3, 5), text="It bends to 113 degrees."), Verdict.NOT_CITED),
        (citing((9, 9), text="It bends to 13 degrees."), Verdict.NOT_CITED),
    ],
)
def test_a_place_that_names_its_words_is_cited_with_these(
    given: GivenAnswer, verdict: Verdict
) -> None:
    place = AnswerPlace(FileLines("hip.md", 3, 5), words="13 degrees")

    assert judge(Outcome(JudgedQuestion("1", "?", places=(place,)), (), 1.0, given)) is verdict


@pytest.mark.parametrize(
    ("cited", "verdict"),
    [
        ([1], Verdict.NOT_CITED),
        ([3], Verdict.NOT_CITED),
        ([1, 3], Verdict.RIGHT),
        ([1, 2], Verdict.NOT_CITED),
        ([5], Verdict.RIGHT),
        ([9], Verdict.NOT_CITED),
    ],
)
def test_a_comparison_needs_a_place_of_each_side_or_one_of_both(
    cited: list[int], verdict: Verdict
) -> None:
    sides = {1: "knee", 2: "knee", 3: "hip", 5: None}
    places = tuple(AnswerPlace(FileLines("a.md", line, line), side) for line, side in sides.items())
    given = citing(*((line, line) for line in cited), path="a.md")
    question = JudgedQuestion("1", "Knee or hip?", places=places)

    assert judge(Outcome(question, (), 1.0, given)) is verdict


def test_a_set_that_says_nothing_of_answers_has_no_scores_of_them() -> None:
    assert score_answers([GOOD]) is None
    assert Share(0, 0).value is None


@pytest.mark.parametrize("text", ["ndcg", "ndcg=much", "accuracy=0.5", "=1"])
def test_a_threshold_that_cannot_be_used_names_the_metrics(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"ndcg=0.8, with one of ndcg, r1, r5"):
        parse_threshold(text)


def test_thresholds_are_for_metrics_and_for_answers() -> None:
    side = summarise("here", [GOOD, BAD, outcome([], {}, answerable=False, answer=REFUSED)])

    values = Report("set", side).values()

    assert parse_threshold("ndcg=0.8") == ("ndcg", 0.8)
    assert values["ndcg"] == 0.5
    assert values["refusal_recall"] == 1.0
    assert values["gold_cited"] is None


def test_the_json_has_every_question_with_what_was_found() -> None:
    sides = [summarise(name, [GOOD, BAD, outcome(["x"], {}, id="free")]) for name in ("a", "b")]
    report = Report("set", sides[0], sides[1], compare(sides[0], sides[1]))

    found = json.loads(json.dumps(report_json(report)))

    questions = found["sides"][1]["questions"]
    assert [(one["id"], one["rank"], one["found"]) for one in questions] == [
        ("good", 1, ["a"]),
        ("bad", None, ["b", "c"]),
        ("free", None, ["x"]),
    ]
    assert questions[0]["metrics"]["ndcg"] == 1.0
    assert questions[2]["metrics"] is None
    assert found["differences"]["ndcg"]["gain"]["value"] == 0.0


def test_the_json_says_what_each_answer_is_worth() -> None:
    found = json.loads(json.dumps(report_json(Report("set", summarise("here", [JUDGED[1][0]])))))

    assert found["sides"][0]["questions"][0]["verdict"] == "wrongly answered"


def test_a_report_says_how_many_of_its_questions_rules_were_chosen_with() -> None:
    tuned = replace(GOOD, question=replace(GOOD.question, tuned_on=True))
    report, other = (Report("set", summarise("here", one)) for one in ([tuned, BAD], [GOOD, BAD]))
    said = "1 of 2 questions were used to choose rules"

    assert said in html_report(report)
    assert any(said in remark for remark in remarks_on(report.side))
    assert report_json(report)["tuned_on"] == 1
    assert "choose rules" not in html_report(other)
    assert not list(remarks_on(other.side))


def test_the_page_shows_wrong_answers_beside_the_right_ones_and_those_of_the_other_side() -> None:
    place = AnswerPlace(FileLines("<hip>.md", 3, 5), "hip", "<13>")
    question = JudgedQuestion("1", "Knee or hip?", places=(place,))
    lines = (FileLines("<arm>.md", 7, 8), FileLines("leg.md", 9, 9))
    cited = tuple(CitedQuote("An arm.", one) for one in lines)
    one = Outcome(question, (), 1.0, GivenAnswer(True, "The <arm>.", cited))
    report = Report(
        "set", summarise("new", [one]), summarise("old", [replace(one, answer=REFUSED)])
    )

    page = html_report(report)

    wrong = page.partition("<h2>Wrong answers</h2>")[2]
    for shown in (
        "&lt;hip&gt;.md:3-5 (hip): &lt;13&gt;",
        "&lt;arm&gt;.md:7-8",
        "leg.md:9<",
        "The &lt;arm&gt;.",
        "not cited",
    ):
        assert shown in wrong
    assert "wrongly refused" in wrong.partition("not cited")[2]
    absent = replace(question, answerable=False)
    answered_wrongly = html_report(Report("set", summarise("new", [replace(one, question=absent)])))
    assert "<td>a refusal</td>" in answered_wrongly
    assert "Wrong answers" not in html_report(Report("set", summarise("here", [GOOD])))


def test_the_page_shows_misses_side_by_side_escaped_and_loads_nothing() -> None:
    evil = "<script>alert(1)</script>"
    found = FoundHit("d", (f"{evil}.md",), f"{evil} title", f"{evil} text", 0.5)
    missed = Outcome(BAD.question, (found,), 2.0)
    report = Report(evil, summarise(f"new {evil}", [missed]), summarise("old", [BAD]), {})

    page = html_report(report)

    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5
    assert "found: old" in page
    assert not [word for word in ("http://", "https://", "src=", "url(", "@import") if word in page]
    drawn = [ElementTree.fromstring(plot) for plot in plots(page)]  # noqa: S314 - our own page
    assert [plot.tag for plot in drawn] == ["svg"] * 3


def test_a_page_of_questions_without_documents_still_shows_answers_and_times() -> None:
    side = summarise("here", [outcome([], {}, answerable=False, answer=REFUSED)])

    page = html_report(Report("set", side))

    assert "Refusal recall" in page
    assert len(plots(page)) == 1


def test_ranks_are_counted_with_those_that_were_not_found() -> None:
    drawn = rank_bars([[1, 1, 4, 12, None]])

    shown = [part.partition("<")[0] for part in drawn.split(">") if part[0:1].isdigit()]
    assert shown == ["1", "2", "2", "0", "3", "0", "4 to 5", "1", "6 to 10", "0", "2"]
