"""Sitemaps are read in all their forms, and hostile ones are refused."""

import gzip

import pytest

from sourcebook.providers.sources.website.sitemaps import Sitemap, SitemapUnreadable, read_sitemap

PAGE = "https://docs.example/a"


def test_pages_and_further_sitemaps_are_told_apart() -> None:
    pages = f'<urlset xmlns="x" xmlns:image="y"><url><loc> {PAGE}?a=1&amp;b=2 </loc><image:image>'
    pages += "<image:loc>https://docs.example/p.png</image:loc></image:image></url></urlset>"
    index = (
        f"<s:sitemapindex xmlns:s='x'><s:sitemap><s:loc>{PAGE}</s:loc></s:sitemap></s:sitemapindex>"
    )

    assert read_sitemap(pages.encode()) == Sitemap(pages=(f"{PAGE}?a=1&b=2",))
    assert read_sitemap(b"\xef\xbb\xbf" + index.encode()) == Sitemap(sitemaps=(PAGE,))
    assert read_sitemap(f"{PAGE}\n\n{PAGE}/b\n".encode()) == Sitemap(pages=(PAGE, f"{PAGE}/b"))
    assert read_sitemap(gzip.compress(pages.encode())).pages == (f"{PAGE}?a=1&b=2",)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><urlset>&b;</urlset>", "entities"),
        (b"<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><urlset>&f;</urlset>", "entities"),
        (b"<html><body>Not found", "not valid XML"),
        (b"There is nothing here", "neither XML nor a list"),
        (gzip.compress(bytes(10_000), mtime=0), "larger than 1,000 bytes"),
        (gzip.compress(b"<urlset></urlset>", mtime=0)[:-12], "cut off"),
        (b"\x1f\x8b" + b"no gzip at all", "broken"),
    ],
)
def test_what_is_no_sitemap_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(SitemapUnreadable, match=reason):
        read_sitemap(content, max_bytes=1_000)
