"""A real Chromium, and the sample book behind it. What a page must never do fails any test."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.e2e.conftest import _quickstart
from tests.e2e.processes import WITH_READER, serving
from tests.templates import made_once

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
NO_CHROMIUM = "there is no chromium: `apt-get install chromium` brings it"
# How long to wait for what must appear: a server that has just started loads its models first.
TIMEOUT_MS = 30_000
expect.set_options(timeout=TIMEOUT_MS)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    # A page that a test makes up has no address, and would have to ask before it calls this host.
    "--disable-features=LocalNetworkAccessChecks",
]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say why nothing here was tested, where that is so."""
    if CHROMIUM is None:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=NO_CHROMIUM))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with the sample book."""
    template = made_once(tmp_path_factory, "quickstarted", _quickstart) / "data"
    folder = tmp_path_factory.mktemp("browser")
    shutil.copytree(template, folder / "data")
    with serving("quickstart", "--data-dir", "data", cwd=folder, env=WITH_READER) as running:
        yield running.url


# Not for the whole session: as long as Playwright runs, no async test can.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """An empty page of a new visitor. Afterwards nothing must have gone wrong behind the scenes."""
    context = browser.new_context(
        base_url=server,
        viewport={"width": 1280, "height": 800},
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
    )
    context.set_default_timeout(TIMEOUT_MS)
    page = context.new_page()
    watch = Watch(server)
    watch.follow(page)
    yield page
    context.close()
    assert watch.troubles == []


class Watch:
    """Notes scripts that were injected, requests to other hosts, errors and broken policies."""

    def __init__(self, *servers: str) -> None:
        self.troubles: list[str] = []
        self._hosts = {urlsplit(server).netloc for server in servers}

    def follow(self, page: Page) -> None:
        page.on("dialog", lambda dialog: self.troubles.append(f"dialog: {dialog.message}"))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("console", self._console)

    def _request(self, request: Request) -> None:
        if urlsplit(request.url).netloc not in self._hosts:
            self.troubles.append(f"request: {request.url}")

    def _console(self, message: ConsoleMessage) -> None:
        # A reply that a test made fail is no trouble.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.troubles.append(f"console: {message.text}")
