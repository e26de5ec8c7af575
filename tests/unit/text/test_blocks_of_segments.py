"""A statement knows the block that a reader would be shown around it."""

import pytest
from hypothesis import given

from sourcebook.answering.statements import read_statements
from tests.fuzz.profile import trying
from tests.unit.answering.passages import passage
from tests.unit.ingestion.chunking.texts import PLAIN_BLOCK, documents


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("Before.\n\nArms turn. Here.\n\nAfter.", "Arms turn. Here."),
        ("Before.\n\nParts:\n\n- Here.\n- Legs.\n\nAfter.", "Parts:\n\n- Here.\n- Legs."),
        ("Parts: Here:\n\n1. Arms.\n2. Legs.", "Parts: Here:\n\n1. Arms.\n2. Legs."),
        ("No leader.\n\n- Arms.\n\n  Here.\n\n- Legs.", "- Arms.\n\n  Here.\n\n- Legs."),
        ("- Run:\n\n  ```\n  ls\n  ```\n\n- Here.", "- Run:\n\n  ```\n  ls\n  ```\n\n- Here."),
        ("Run it.\n\n```\nHere\n```\n\nAfter.", "Run it.\n\n```\nHere\n```"),
        ("Here.\n\n```\nls\n```", "Here."),
        ("All:\n\n| A |\n|---|\n| Here |\n| 2 |", "All:\n\n| A |\n|---|\n| Here |\n| 2 |"),
        ("Hull\n: Here.\n\nKeel\n: A beam.", "Hull\n: Here."),
        ("# Here\n\nArms.", "Here"),
    ],
)
def test_a_statement_stands_in_its_block(text: str, block: str) -> None:
    found = read_statements([passage(1, text)])

    (here,) = [one for one in found if "Here" in one.statement.text]

    assert text[here.block.start : here.block.end] == block


@trying(short=200, long=10_000)
@given(documents(PLAIN_BLOCK))
def test_a_block_holds_its_statement_and_is_inside_the_text(text: str) -> None:
    for one in read_statements([passage(1, text)]):
        inside = (one.block.start, one.statement.start, one.statement.end, one.block.end)
        assert list(inside) == sorted(inside)
        assert one.block.end <= len(text)
