"""The converter of a file is chosen by its content; its name only breaks ties."""

from dataclasses import replace

import pytest

from sourcebook.core.errors import BookUnreadable
from sourcebook.core.ports import FileFormat
from sourcebook.core.providers import ProviderCard
from sourcebook.providers.converters.conversion import InstalledConverters
from sourcebook.providers.converters.formats import HTML
from sourcebook.providers.registry.registry import Registry
from tests.converters import in_process, our_converters

NOTEBOOK = b'{"nbformat": 4, "cells": []}'


@pytest.fixture(scope="module")
def converters() -> InstalledConverters:
    return our_converters()


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a/page.html", b"<!DOCTYPE html><p>Hi", "html"),
        ("page.html", b"<h1>No doctype</h1>", "html"),
        ("page.txt", b"\n<!-- saved --><html><p>Hi", "html"),
        ("data.csv", b"a,b\n1,2\n", "table"),
        ("data.txt", b"a,b\n1,2\n", "text"),
        ("LOUD.TXT", b"Hi", "text"),
        ("lab.txt", NOTEBOOK, "notebook"),
        ("lab.ipynb", NOTEBOOK, "notebook"),
    ],
)
def test_content_decides_and_the_name_breaks_ties(
    converters: InstalledConverters, path: str, content: bytes, expected: str
) -> None:
    found = converters.recognize(path, content)

    assert found is not None
    assert found.id == expected


def test_markdown_is_read_as_it_is(converters: InstalledConverters) -> None:
    assert converters.recognize("a.md", b"<!doctype html>\n# Hi") is None


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("lab.ipynb", b"plain words", "no IPYNB file"),
        ("lab.ipynb", b"", "empty"),
        ("page.html", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 20, "password"),
    ],
)
def test_a_file_that_nobody_can_read_says_why(
    converters: InstalledConverters, path: str, content: bytes, message: str
) -> None:
    with pytest.raises(BookUnreadable, match=message):
        converters.recognize(path, content)


async def test_a_missing_extra_is_named() -> None:
    class Bare(Registry):
        def cards(self) -> list[ProviderCard]:
            cards = super().cards()
            return [replace(card, installed=False, extra="documents") for card in cards]

    converters = InstalledConverters(Bare(), in_process)
    found = converters.recognize("page.html", b"<html>")

    assert found is not None
    with pytest.raises(BookUnreadable, match=r"pip install 'sourcebook\[documents\]'"):
        await converters.convert(found, b"<html>")


async def test_a_file_is_converted_by_the_format_that_was_recognized(
    converters: InstalledConverters,
) -> None:
    document = await converters.convert(FileFormat("html", HTML.version), b"<html><h1>Wren</h1>")

    assert document.text == "# Wren\n"
