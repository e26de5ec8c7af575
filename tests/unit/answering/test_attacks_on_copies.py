"""What a writer copies leaves only where it says in the answer what it says in its document."""

import pytest

from sourcebook.answering.statement_ids import statement_ids
from sourcebook.answering.statements import read_statements
from tests.unit.answering.passages import checker, passage, released

CODE = "Run this:\n\n```python\nif open:\n    close()\nstart()\n```\n"
LIST = "You must not:\n\n- Touch the wire.\n- Lift the lid.\n\nThe fan is quiet.\n"
TABLE = "| Tool | Must never |\n|---|---|\n| Brush | clean the pipe |\n"


async def answer(document: str, *lines: str) -> str:
    return "".join(await released(checker([passage(1, document)]), ["\n".join(lines)]))


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ("## Common misconceptions\n\nThe pump runs dry. It is loud.", "The pump runs dry. [1.1]"),
        ("Is the pump safe? Nobody knows.", "Is the pump safe?"),
        ("## Myths\n\nOn Linux:\n\n- The pump runs dry.\n", "The pump runs dry. [1.1]"),
        ("> “The pump is safe. It hums.”\n\nSo they said.", "It hums."),
    ],
)
async def test_what_says_nothing_by_itself_is_not_even_copied(document: str, line: str) -> None:
    assert await answer(document, line) == ""


async def test_a_copied_item_stands_under_what_denies_it_or_is_quoted_with_that() -> None:
    listed = await answer(LIST, "You must not: [1.1]", "- Touch the wire. [1.2]", "- Lift the lid.")
    apart = await answer(LIST, "You must not:", "The fan is quiet.", "Lift the lid. [1.3]")

    assert listed == "You must not: [1]\n- Touch the wire. [1]\n- Lift the lid. [1]"
    assert apart.endswith("The fan is quiet. [1] You must not: Lift the lid. [1]")


async def test_rows_are_copied_after_the_names_of_their_columns() -> None:
    alone = await answer(TABLE, "| Brush | clean the pipe |")
    copied = await answer(TABLE, "| Tool | Must never |", "|---|---|", "| Brush | clean the pipe |")

    assert "| Brush | clean the pipe |" in copied
    assert alone == "Brush: Must never clean the pipe. [1]"


@pytest.mark.parametrize(
    "code",
    [
        "if open:\n    close()\n    start()",
        "if open: close()\nstart()",
        "if open:\nclose()\nstart()",
    ],
)
async def test_code_with_other_lines_or_margins_is_other_code(code: str) -> None:
    assert code not in await answer(CODE, "```python", code, "```")


@pytest.mark.parametrize(
    "code", ["if open:\n    close()\nstart()", "  if open:\n      close()\n  start()"]
)
async def test_the_margin_of_all_of_its_lines_changes_no_code(code: str) -> None:
    in_item = "- Run this:\n\n  ```\n  if open:\n      close()\n  start()\n  ```\n"

    assert code in await answer(CODE, "```python", code, "```")
    assert code in await answer(in_item, "```python", code, "```")


async def test_a_year_is_no_number_of_a_list() -> None:
    assert (
        await answer("The boat sank. It was old.", "1912. The boat sank.") == "The boat sank. [1]"
    )


@pytest.mark.parametrize("document", ["NONE", "Values:\n\n- ALL\n- NONE\n"])
async def test_none_refuses_whatever_the_documents_say(document: str) -> None:
    checking = checker([passage(1, document)])

    assert await released(checking, ["NONE"]) == []
    assert checking.says_it_is_missing


def test_what_leads_to_a_list_under_myths_does_not_make_it_quotable() -> None:
    quotable = read_statements([passage(1, "## Myths\n\nOn Linux:\n\n- The pump runs dry.\n")])

    assert statement_ids(quotable) == {}
