"""Which pushes count: those to the book's repository, where its name is known."""

from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.ingestion import book_config


@pytest.mark.parametrize(
    ("flags", "repository"),
    [
        ({"docs_repository": "https://github.com/acme/book.git"}, "acme/book"),
        ({"docs_repository": "https://h/mirrors/b", "github_webhook_repository": "a/b"}, "a/b"),
        ({"github_webhook_repository": "acme/book"}, "acme/book"),
        ({"docs_repository": "/srv/book.git"}, None),
        ({}, None),
    ],
)
def test_the_repository_is_the_named_one_else_the_one_that_is_fetched(
    tmp_path: Path, flags: dict[str, object], repository: str | None
) -> None:
    settings = load_settings(None, github_webhook_secret="s", **flags)

    webhook = book_config(settings, DataFolder(tmp_path)).rules.webhook

    assert webhook is not None
    assert webhook.repository == repository


@pytest.mark.parametrize("name", ["book", "https://github.com/acme/book", "a/b/c", "a/b\n"])
def test_a_name_without_owner_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="GITHUB_WEBHOOK_REPOSITORY"):
        load_settings(github_webhook_repository=name)
