"""Pages of tables as people style them, and how many of their rows a converted text keeps."""

import random
from dataclasses import dataclass
from pathlib import Path

from bench.documents.programs import print_page

PAGES = 40
# What stands in a style sheet: a table, and its cells.
STYLES = {
    "with borders": ("border-collapse: collapse", "border: 1px solid"),
    "with borders and padding": (
        "border-collapse: collapse",
        "border: 1px solid; padding: 4px 8px",
    ),
    "with a border for each cell": ("", "border: 1px solid; padding: 3px"),
    "with lines": ("border-collapse: collapse", "border-bottom: 1px solid; padding: 4px 8px"),
    "without borders": ("", "padding: 2px 8px"),
    "as wide as the page": ("border-collapse: collapse; width: 100%", "border: 1px solid"),
}
_HEADS = ("Size", "Pressure", "Power", "Model", "Weight", "Colour", "Tank", "Pump")
_CELLS = ("1.8 l", "15 bar", "1200 W", "yes", "Brava", "12 months", "0.4 kg", "made of steel")
# Some go on over the end of their page.
_ROWS = (1, 2, 3, 4, 6, 60)


@dataclass(frozen=True, slots=True)
class Tables:
    """Printed tables of one style, and their rows."""

    style: str
    content: bytes
    rows: list[list[str]]

    def kept(self, text: str) -> float:
        """Return the share of rows that a text has, cell by cell."""
        lines = text.split("\n")
        found = sum(f"| {' | '.join(row)} |" in lines for row in self.rows)
        return found / len(self.rows)


def print_tables(style: str, folder: Path) -> Tables:
    """Print pages with a narrow table each, or two, between headings and paragraphs."""
    choose = random.Random(1)  # noqa: S311 - not for secrets
    rows: list[list[str]] = []
    body = ""
    for page in range(PAGES):
        body += f"<h1>Machine {page}</h1><p>What it can do.</p>"
        for number in range(choose.choice((1, 1, 2))):
            table = [choose.sample(_HEADS, choose.choice((2, 3, 4)))]
            for at in range(choose.choice(_ROWS)):
                cells = [choose.choice(_CELLS) for _ in table[0]]
                table.append([f"{page}.{number}.{at}", *cells[1:]])
            rows += table
            body += f"<h2>Table {number}</h2>{_html(table)}"
        body += "<h2>Care</h2><p>Clean it once a week with the powder that came with it.</p>"
    table_style, cell_style = STYLES[style]
    name = style.replace(" ", "-")
    source = folder / f"{name}.html"
    source.write_text(
        "<!doctype html><meta charset=utf-8><title>Machines</title><style>"
        f"h1 {{ break-before: page }} table {{ {table_style} }} td, th {{ {cell_style} }}"
        f"</style>{body}"
    )
    return Tables(style, print_page(source, folder / f"{name}.pdf"), rows)


def _html(table: list[list[str]]) -> str:
    head, *rows = table
    lines = ["".join(f"<th>{cell}</th>" for cell in head)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
