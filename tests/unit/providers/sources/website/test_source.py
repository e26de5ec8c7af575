"""A website is read politely, and nothing of it is lost that the site does not take away."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.book_source import Listing
from sourcebook.core.errors import BookUnreadable, ConfigurationError, SourceUnavailable
from sourcebook.providers.outbound.destinations import STRANGER, Policy, stranger_policy
from sourcebook.providers.sources.website import visitor
from sourcebook.providers.sources.website.crawl import MAX_FAILED_IN_A_ROW, MIN_GONE_S
from sourcebook.providers.sources.website.options import SiteOptions
from sourcebook.providers.sources.website.source import WebsiteSource
from tests.website import HOST, Answer, Website, website

PDF = b"%PDF-1.4\n\xff\xfe no text in any encoding"


class Reader:
    """Reads a site with a clock and sleeps that take no time."""

    def __init__(self, site: Website, folder: Path) -> None:
        self.site = site
        self.options = SiteOptions()
        self.policy: Policy = stranger_policy([HOST])
        self.start = "/"
        self.now_s = 1_000.0
        self.reply_timeout_s = 30.0
        self.slept: list[float] = []
        self._folder = folder

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    @property
    def source(self) -> WebsiteSource:
        return WebsiteSource(
            self.site.url + self.start,
            self.options,
            self.policy,
            self._folder,
            resolve=self.site.resolve,
            sleep=self.sleep,
            reply_timeout_s=self.reply_timeout_s,
            now_s=lambda: self.now_s,
        )

    async def listing(self) -> Listing:
        self.site.asked.clear()
        async with self.source.open() as tree:
            return tree.listing

    async def paths(self) -> list[str]:
        return [file.path for file in (await self.listing()).files]

    async def text(self, path: str) -> str:
        return (await self.content(path)).decode()

    async def content(self, path: str) -> bytes:
        async with self.source.open() as tree:
            return await tree.read(path)


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with website() as site:
        site.page("/", "<h1>Home</h1><a href='/a'>a</a> <a href='b?utm_source=x'>b</a>")
        site.page("/a", "<h1>A</h1><a href='/deep/c'>c</a>")
        site.page("/b", "<h1>B</h1>")
        site.page("/deep/c", "<h1>C</h1>")
        yield site


@pytest.fixture
def reader(site: Website, tmp_path: Path) -> Reader:
    return Reader(site, tmp_path)


def _messages(listing: Listing) -> dict[str, str]:
    return {problem.path: problem.message for problem in listing.problems}


async def test_without_lists_the_links_are_followed_within_the_site(
    site: Website, reader: Reader
) -> None:
    site.page(
        "/b", f"<a href='http://elsewhere.example:{site.port}/x'>x</a> <a href='/p.png'>p</a>"
    )

    listing = await reader.listing()

    assert [file.path for file in listing.files] == ["a", "b", "deep/c", "index.html"]
    assert {file.url for file in listing.files} == {
        f"{site.url}{path}" for path in ("/", "/a", "/b", "/deep/c")
    }
    assert listing.other_files == {".png": 1}
    assert not {"/x", "/p.png"} & set(site.paths)
    assert all(each.headers["user-agent"].startswith("sourcebook/") for each in site.asked)


async def test_links_are_followed_as_deep_as_asked(site: Website, reader: Reader) -> None:
    reader.options = SiteOptions(max_depth=1)

    assert await reader.paths() == ["a", "b", "index.html"]


async def test_only_pages_below_the_first_one_are_read(site: Website, reader: Reader) -> None:
    site.page("/deep/", "<a href='/a'>up</a> <a href='c'>c</a>")
    reader.start = "/deep/"

    assert await reader.paths() == ["deep/c", "deep/index.html"]


async def test_a_sitemap_comes_before_links(site: Website, reader: Reader) -> None:
    site.page("/hidden", "<h1>Linked from nowhere</h1>")
    site.sitemap("/hidden", "/a")

    assert await reader.paths() == ["a", "hidden"]


async def test_robots_names_sitemaps_which_name_others_also_with_gzip(
    site: Website, reader: Reader
) -> None:
    site.put("/robots.txt", f"Sitemap: {site.url}/index.xml", "text/plain")
    names = "".join(
        f"<sitemap><loc>{site.url}{path}</loc></sitemap>" for path in ("/one.xml", "/two.xml.gz")
    )
    site.put("/index.xml", f"<sitemapindex>{names}</sitemapindex>", "text/xml")
    site.sitemap("/a", at="/one.xml")
    packed = gzip.compress(f"<urlset><url><loc>{site.url}/b</loc></url></urlset>".encode())
    site.put("/two.xml.gz", packed, "application/gzip")

    assert await reader.paths() == ["a", "b"]


async def test_llms_txt_is_joined_with_the_sitemap_and_gives_the_markdown(
    site: Website, reader: Reader
) -> None:
    site.put("/llms.txt", f"# Docs\n\n- [A]({site.url}/a.md): first\n- [N](/n.md)", "text/plain")
    site.put("/a.md", "# A in markdown", "text/markdown")
    site.put("/n.md", "# N", "text/plain")
    site.sitemap("/a", "/b")

    listing = await reader.listing()

    assert {file.path: file.url for file in listing.files} == {
        "a": f"{site.url}/a",
        "b": f"{site.url}/b",
        "n.md": f"{site.url}/n.md",
    }
    assert "/a" not in site.paths
    assert await reader.text("a") == "# A in markdown"


async def test_a_page_that_names_its_markdown_is_read_from_there_under_its_own_address(
    site: Website, reader: Reader
) -> None:
    link = "<link rel='alternate' type='text/markdown' href='/src/b.md'>"
    site.page("/b", "<h1>B</h1><h2 id='how-1'>How?</h2>", link)
    site.put("/src/b.md", "# B, plainly\n\n## How?", "text/markdown")

    listing = await reader.listing()

    assert f"{site.url}/b" in {file.url for file in listing.files}
    assert "src/b.md" not in {file.path for file in listing.files}
    # Its headings have the ids of the page, so that citations lead to them.
    assert await reader.text("b") == "# B, plainly\n\n## How? {#how-1}"


async def test_robots_txt_is_obeyed_and_slows_down(site: Website, reader: Reader) -> None:
    rules = "User-agent: *\nDisallow: /deep\nCrawl-delay: 2\n"
    site.put("/robots.txt", rules, "text/plain")

    assert await reader.paths() == ["a", "b", "index.html"]
    assert "/deep/c" not in site.paths
    assert max(reader.slept) > 1.5


async def test_a_site_that_forbids_its_first_page_is_not_read(
    site: Website, reader: Reader
) -> None:
    site.put("/robots.txt", "User-agent: Sourcebook\nDisallow: /\n", "text/plain")

    with pytest.raises(SourceUnavailable, match=r"robots\.txt does not allow"):
        await reader.listing()
    assert site.paths == ["/robots.txt"]


async def test_while_robots_txt_cannot_be_read_nothing_is(site: Website, reader: Reader) -> None:
    site.say("/robots.txt", 500)

    with pytest.raises(SourceUnavailable, match=r"robots\.txt .* status 500"):
        await reader.listing()


async def test_requests_are_spaced_out_as_asked(site: Website, reader: Reader) -> None:
    reader.options = SiteOptions(requests_per_s=2)

    await reader.listing()

    assert sum(reader.slept) > 0.4 * sum(range(len(site.asked)))


async def test_a_second_run_asks_for_changes_only(site: Website, reader: Reader) -> None:
    stamp = "Last-Modified: Tue, 03 Nov 2026 10:00:00 GMT"
    site.put("/b", "<h1>B</h1>", "text/html", stamp)
    await reader.listing()
    site.page("/a", "<h1>A, changed</h1><a href='/deep/c'>c</a>")

    paths = await reader.paths()

    conditional = {each.path for each in site.asked if "if-none-match" in each.headers}
    assert paths == ["a", "b", "deep/c", "index.html"]
    assert {"/", "/a", "/deep/c"} <= conditional
    assert any("if-modified-since" in each.headers for each in site.asked if each.path == "/b")
    assert "A, changed" in await reader.text("a")
    assert "<h1>C</h1>" in await reader.text("deep/c")


async def test_a_page_goes_when_the_site_says_twice_that_it_is_gone(
    site: Website, reader: Reader
) -> None:
    await reader.listing()
    site.say("/deep/c", 404)

    first = await reader.listing()
    reader.now_s += MIN_GONE_S / 2
    at_once = await reader.paths()
    reader.now_s += MIN_GONE_S
    later = await reader.paths()

    assert "deep/c" in {file.path for file in first.files}
    assert "answers 404" in _messages(first)["deep/c"]
    assert "deep/c" in at_once
    assert later == ["a", "b", "index.html"]


async def test_a_page_that_comes_back_was_never_gone(site: Website, reader: Reader) -> None:
    await reader.listing()
    site.say("/deep/c", 410)
    await reader.listing()
    site.page("/deep/c", "<h1>C again</h1>")
    await reader.listing()
    site.say("/deep/c", 410)
    reader.now_s += 2 * MIN_GONE_S

    assert "deep/c" in await reader.paths()


async def test_a_page_goes_at_once_when_it_is_gone_from_the_sitemap(
    site: Website, reader: Reader
) -> None:
    site.sitemap("/a", "/b", "/deep/c")
    await reader.listing()
    site.sitemap("/a", "/b")

    assert await reader.paths() == ["a", "b"]
    assert "/deep/c" not in site.paths


async def test_nothing_goes_while_a_sitemap_cannot_be_read(site: Website, reader: Reader) -> None:
    site.sitemap("/a", "/b", "/deep/c")
    await reader.listing()
    site.say("/sitemap.xml", 503, "Retry-After: 1")

    listing = await reader.listing()

    assert {"a", "b", "deep/c"} <= {file.path for file in listing.files}
    assert "status 503" in _messages(listing)["sitemap.xml"]


async def test_a_page_that_no_link_leads_to_any_more_stays_while_it_is_there(
    site: Website, reader: Reader
) -> None:
    await reader.listing()
    site.page("/a", "<h1>A without links</h1>")

    assert "deep/c" in await reader.paths()


async def test_what_cannot_be_fetched_stays_as_it_is_indexed(site: Website, reader: Reader) -> None:
    await reader.listing()
    site.say("/b", 500)

    listing = await reader.listing()

    assert "b" not in {file.path for file in listing.files}
    assert listing.may_exist("b")
    assert "status 500" in _messages(listing)["b"]


async def test_a_site_that_is_down_is_left_alone(site: Website, reader: Reader) -> None:
    paths = [f"/page-{number}" for number in range(3 * MAX_FAILED_IN_A_ROW)]
    site.sitemap(*paths)
    for path in paths:
        site.say(path, 500)

    with pytest.raises(SourceUnavailable, match="in a row could not be fetched"):
        await reader.listing()
    assert len([path for path in site.paths if path in paths]) < 2 * MAX_FAILED_IN_A_ROW


async def test_a_page_has_the_address_that_it_calls_canonical(
    site: Website, reader: Reader
) -> None:
    site.page("/", "<a href='/old'>old</a> <a href='/print?of=b'>b</a>")
    site.say("/old", 301, "Location: /a")
    site.page("/print?of=b", "<h1>B</h1>", "<link rel=canonical href='/b'>")

    assert await reader.paths() == ["a", "b", "deep/c", "index.html"]


async def test_a_canonical_link_that_leads_nowhere_does_not_lose_the_page(
    site: Website, reader: Reader
) -> None:
    site.page("/a", "<h1>A</h1>", "<link rel=canonical href='/nowhere'>")
    site.page("/b", "<h1>B</h1>", "<link rel=canonical href='/'>")

    assert await reader.paths() == ["a", "b", "index.html"]


async def test_a_redirect_to_a_page_that_is_left_out_is_no_problem(
    site: Website, reader: Reader
) -> None:
    site.say("/a", 301, "Location: /deep/c")
    site.say("/b", 301, "Location: /nowhere")
    reader.options = SiteOptions(exclude=("deep",))

    listing = await reader.listing()

    assert [file.path for file in listing.files] == ["index.html"]
    assert (listing.problems, listing.unseen) == ((), ())


async def test_a_redirect_to_another_site_is_not_followed(site: Website, reader: Reader) -> None:
    site.say("/b", 302, f"Location: http://login.example:{site.port}/")

    listing = await reader.listing()

    assert "not part of the site" in _messages(listing)["b"]


async def test_the_first_page_may_not_lead_to_another_site(site: Website, reader: Reader) -> None:
    reader.policy = stranger_policy([HOST, "other.example"])
    site.say("/", 302, f"Location: http://other.example:{site.port}/a")

    with pytest.raises(SourceUnavailable, match=r"leads to another site, 'http://other\.example"):
        await reader.listing()


async def test_private_addresses_are_refused_unless_the_operator_names_them(
    site: Website, reader: Reader
) -> None:
    reader.policy = STRANGER

    with pytest.raises(SourceUnavailable, match="SOURCEBOOK_ALLOWED_PRIVATE_HOSTS"):
        await reader.listing()
    assert site.asked == []


async def test_redirects_are_checked_again(site: Website, reader: Reader) -> None:
    site.put("/robots.txt", f"Sitemap: {site.url}/moved.xml", "text/plain")
    site.say("/moved.xml", 302, f"Location: http://inside.example:{site.port}/secrets.xml")

    listing = await reader.listing()

    assert "'inside.example' is not allowed" in _messages(listing)["moved.xml"]
    assert "/secrets.xml" not in site.paths


async def test_pages_are_chosen_before_they_are_fetched(site: Website, reader: Reader) -> None:
    site.sitemap("/a", "/b", "/deep/c", "/deep/old/d")
    reader.options = SiteOptions(include=("deep", "a"), exclude=("**/old",))

    assert await reader.paths() == ["a", "deep/c"]
    assert not {"/b", "/deep/old/d"} & set(site.paths)


async def test_a_limit_on_pages_keeps_those_that_were_there_first(
    site: Website, reader: Reader
) -> None:
    reader.options = SiteOptions(max_pages=2)
    site.sitemap("/a", "/b")
    await reader.listing()
    site.sitemap("/deep/c", "/a", "/b")

    listing = await reader.listing()

    assert [file.path for file in listing.files] == ["a", "b"]
    assert "1 pages are left out: the limit is 2" in _messages(listing)["…"]


async def test_a_selector_chooses_the_text_of_each_page(site: Website, reader: Reader) -> None:
    site.page("/a", "<nav>menu</nav><main><h1 id='top'>A</h1></main>", "<title>Page A</title>")
    site.sitemap("/a", "/b")
    reader.options = SiteOptions(selector="main")

    text = await reader.text("a")

    assert "menu" not in text
    assert '<h1 id="top">A</h1>' in text
    assert "<title>Page A</title>" in text
    with pytest.raises(BookUnreadable, match="no element that fits the selector 'main'"):
        await reader.text("b")


async def test_a_selector_that_is_not_css_is_refused_before_anything_is_fetched(
    site: Website, reader: Reader
) -> None:
    reader.options = SiteOptions(selector="main[[")

    with pytest.raises(ConfigurationError, match="it is not CSS"):
        _ = reader.source


async def test_pdfs_that_pages_lead_to_are_read_also_if_the_site_lists_its_pages(
    site: Website, reader: Reader
) -> None:
    site.page("/a", "<a href='/files/manual.pdf'>m</a> <a href='/b'>b</a>")
    site.put("/files/manual.pdf", PDF, "application/pdf", etag=True)
    site.sitemap("/a")

    listing = await reader.listing()

    assert {file.path: file.size for file in listing.files if "pdf" in file.path} == {
        "files/manual.pdf": len(PDF)
    }
    assert [file.path for file in listing.files] == ["a", "files/manual.pdf"]
    assert listing.other_files == {}
    assert await reader.content("files/manual.pdf") == PDF
    assert site.asked[-1].headers["if-none-match"]  # an unchanged one is not sent again


async def test_pdfs_can_be_left_out(site: Website, reader: Reader) -> None:
    site.page("/b", "<a href='/manual.pdf'>m</a>")
    site.put("/manual.pdf", PDF, "application/pdf")
    await reader.listing()
    reader.options = SiteOptions(pdfs=False)

    listing = await reader.listing()

    assert "manual.pdf" not in [file.path for file in listing.files]
    assert listing.other_files == {".pdf": 1}
    assert "/manual.pdf" not in site.paths


async def test_what_only_calls_itself_a_pdf_is_none(site: Website, reader: Reader) -> None:
    site.page("/b", "<a href='/a.pdf'>1</a> <a href='/b.pdf'>2</a> <a href='/c.pdf'>3</a>")
    site.page("/a.pdf", "<h1>Log in first</h1>")
    site.put("/b.pdf", "# Text", "application/pdf")
    site.put("/c.pdf", PDF, "text/html")

    assert await reader.paths() == ["a", "b", "deep/c", "index.html"]


async def test_a_pdf_that_is_too_large_is_one_problem(
    site: Website, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor, "MAX_PDF_BYTES", len(PDF) - 1)
    site.page("/b", "<a href='/manual.pdf'>m</a>")
    site.put("/manual.pdf", PDF, "application/pdf")

    listing = await reader.listing()

    assert len(listing.files) == 4
    assert "is larger than" in _messages(listing)["manual.pdf"]


async def test_pages_that_ask_not_to_be_indexed_are_left_out(site: Website, reader: Reader) -> None:
    site.page("/a", "<h1>A</h1><a href='/deep/c'>c</a>", "<meta name=robots content=noindex>")
    site.put("/b", "<h1>B</h1>", "text/html", "X-Robots-Tag: noindex")

    assert await reader.paths() == ["deep/c", "index.html"]


async def test_an_endless_page_is_cut_off(site: Website, reader: Reader) -> None:
    site.put("/a", gzip.compress(bytes(9_000_000)), "text/html", "Content-Encoding: gzip")
    site.put("/b", b"<p>" + bytes(9_000_000), "text/html")

    messages = _messages(await reader.listing())

    assert "larger than 8,388,608 bytes" in messages["a"]
    assert "larger than 8,388,608 bytes" in messages["b"]


async def test_a_reply_that_never_comes_is_given_up(site: Website, reader: Reader) -> None:
    reader.reply_timeout_s = 0.2
    site.answers["/b"] = Answer(hangs=True)

    assert "no whole answer within 0.2 s" in _messages(await reader.listing())["b"]


async def test_text_in_another_encoding_is_read_as_its_header_says(
    site: Website, reader: Reader
) -> None:
    page = "<meta charset='utf-8'><h1>Überblick</h1>".encode("latin-1")
    site.put("/b", page, "text/html; charset=iso-8859-1")

    assert "<h1>Überblick</h1>" in await reader.text("b")


async def test_a_damaged_cache_is_begun_anew(site: Website, reader: Reader, tmp_path: Path) -> None:
    await reader.listing()
    for cache in tmp_path.iterdir():  # noqa: ASYNC240
        cache.write_bytes(b"no database at all" * 100)

    assert await reader.paths() == ["a", "b", "deep/c", "index.html"]


async def test_whoever_follows_the_crawl_can_stop_it(site: Website, reader: Reader) -> None:
    class Enough(Exception):
        pass

    seen: list[str | None] = []

    def at(path: str | None) -> None:
        seen.append(path)
        if path == "a":
            raise Enough

    with pytest.raises(Enough):
        async with reader.source.open(at):
            pass
    assert seen[0] == "index.html"
    assert "/deep/c" not in site.paths
