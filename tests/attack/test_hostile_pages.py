"""What is looked for in a web page is found in proportion to the page, however it is nested."""

import gc
import time
from collections.abc import Callable, Iterator

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from sourcebook.providers.converters.html import convert_source
from sourcebook.providers.converters.html_definitions import mark_definitions
from sourcebook.providers.converters.html_navigation import drop_navigation
from tests.attack import LONG

TIMES = 16_000 if LONG else 4_000
# What takes less CPU time than this is not measured any closer.
UNSUSPICIOUS_S = 0.1
# Four times the page may take four times as long; what is quadratic takes sixteen times.
MAX_GROWTH = 10.0
LINK = "<a href='#a'>x</a>"
PAGES: dict[str, Callable[[int], str]] = {
    "links in a paragraph": lambda n: f"<p>{LINK * n}</p>",
    "links and other text": lambda n: f"<p>{LINK * n}y</p>",
    "blank links": lambda n: "<p>" + "<a href='#a'></a>" * n + LINK + "</p>",
    "links alone": lambda n: f"<p>{LINK}</p>" * n,
    "links after blanks": lambda n: "<div>" + "<p></p>" * n + f"<p>{LINK}</p>" * n + "</div>",
    "items": lambda n: "<ul>" + f"<li>{LINK}</li>" * n + "<li>y</li></ul>",
    "lists of lists": lambda n: f"<ul><li>{LINK}" * n + "</ul>" * n,
    "lists around a link": lambda n: "<ul><li>" * n + LINK + "</ul>" * n,
    "menus of menus": lambda n: "<ul><li><a href=b>x</a>" * n + "</ul>" * n + "<h1>A</h1>",
    "menus around text": lambda n: "<ul><li><a href=b>x</a>" * n + "y" + "</ul>" * n + "<h1>A</h1>",
    "text in links": lambda n: "<a href=b>" + "<b>x" * n + "</a><ul><li>y</ul><h1>A</h1>",
    "menus": lambda n: "<ul><li><a href=b>x</a></ul>" * n + "<h1>A</h1>",
    "blocks in blocks": lambda n: "<div>" * n + "y" + f"<p>{LINK}</p></div>" * n,
    "headings": lambda n: "<ul><li>y</ul>" + "<h2>a</h2>" * n,
    "definitions": lambda n: "<dl>" + "<dt>a</dt><dd>b</dd>" * n + "</dl>",
    "terms": lambda n: "<dl>" + "<dt>a</dt>" * n + "<dd>b</dd>" * n + "</dl>",
    "terms in terms": lambda n: "<dl><dt>a" * n + "<dd>b",
    "definitions of definitions": lambda n: "<dl><dt>a</dt><dd>" * n + "b",
    "blank blocks": lambda n: "<dl><dt>a</dt><dd>" + "<p></p>" * n + "b</dd></dl>",
    "blocks around a meaning": lambda n: "<dl><dt>a</dt><dd>" + "<div>" * n + "b",
    "nothing closed": lambda n: f"<dl><dt>a<ul><li>{LINK}<dd><h2>" * (n // 4),
}


def read(element: LexborNode) -> None:
    drop_navigation(element)
    mark_definitions(element)


def cpu_s(page: str) -> float:
    """How long it takes after the page is parsed; the best of two attempts."""
    spent: list[float] = []
    for _ in range(2):
        parsed = LexborHTMLParser(page)
        assert parsed.body is not None
        started_s = time.thread_time()
        read(parsed.body)
        spent.append(time.thread_time() - started_s)
    return min(spent)


@pytest.fixture(autouse=True)
def _no_garbage_collection() -> Iterator[None]:
    """What other tests have left in this process takes long to walk over, and is not measured."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("shape", PAGES)
def test_a_hostile_page_is_looked_through_in_proportion_to_its_length(shape: str) -> None:
    longer = cpu_s(PAGES[shape](TIMES))
    if longer < UNSUSPICIOUS_S:
        return

    assert longer / max(cpu_s(PAGES[shape](TIMES // 4)), 1e-6) < MAX_GROWTH


@pytest.mark.parametrize("shape", PAGES)
def test_a_hostile_page_is_converted(shape: str) -> None:
    assert convert_source(PAGES[shape](TIMES // 4)).text is not None
