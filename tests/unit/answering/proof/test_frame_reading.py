import pytest

from sourcebook.answering.proof.frame_forms import normal_frames
from sourcebook.answering.proof.frame_reading import read_frames
from sourcebook.answering.proof.frames import Frame, Noun
from sourcebook.answering.proof.sentence import read_sentence


def words(noun: Noun | None) -> str:
    return "" if noun is None else " and ".join(" ".join(t.key for t in i) for i in noun.items)


def roles(frame: Frame) -> tuple[str, str, str]:
    return words(frame.agent), frame.verb, words(frame.patient)


def frames(text: str) -> tuple[Frame, ...]:
    return normal_frames(read_frames(read_sentence(text)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pump drives the fan.", "The fan is driven by the pump."),
        ("In 1898 Clara Voss opened the line.", "The line was opened in 1898 by Clara Voss."),
        ("The bridge is 120 m long.", "The bridge has a length of 120 metres."),
        ("Collecting shells is prohibited.", "Shells must not be collected."),
        ("It runs before the installation.", "It runs before installing."),
        ("It is open from April to July.", "It is open between April and July."),
        ("A task should never wait.", "A task should not wait."),
    ],
)
def test_two_constructions_of_one_meaning_have_the_same_frame(one: str, other: str) -> None:
    (first,), (second,) = frames(one), frames(other)
    assert roles(first) == roles(second)
    assert first.signs == second.signs
    assert {(p.name, words(p.noun)) for p in first.phrases} == {
        (p.name, words(p.noun)) for p in second.phrases
    }


def test_each_joined_verb_has_a_frame_with_the_same_subject() -> None:
    found = [roles(frame) for frame in frames("The pump cleans the water and fills the tank.")]
    assert found == [("pump", "clean", "water"), ("pump", "fill", "tank")]


def test_a_condition_at_the_beginning_governs_all_that_follows() -> None:
    found = frames("If the lid opens, the lamp flashes and the pump stops.")
    assert [[word for word, _ in frame.clauses] for frame in found] == [["if"], ["if"]]


def test_what_an_aside_says_is_a_frame_of_its_own() -> None:
    found = {roles(frame) for frame in frames("Josef Haan, a clockmaker, invented the harp.")}
    assert found == {("josef haan", "invent", "harp"), ("josef haan", "be", "clockmaker")}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The pump or the fan stops or starts.",
        "Not all lamps are red.",
        "The shop is open; closed on Mondays.",
        "Seldom lamp fan.",
    ],
)
def test_what_cannot_be_read_safely_has_no_frame(text: str) -> None:
    assert frames(text) == ()


def test_a_verb_with_a_helping_verb_of_its_own_takes_no_order_from_the_one_before() -> None:
    found = frames("The race must be finished in a day and is run in June.")
    assert [frame.signs for frame in found] == [{"must"}, frozenset()]


def test_a_clause_after_and_if_governs_what_follows_it() -> None:
    found = frames("The depth is 8, and if the queue overflows, the message is dropped.")
    assert [[word for word, _ in frame.clauses] for frame in found] == [[], ["if"]]
