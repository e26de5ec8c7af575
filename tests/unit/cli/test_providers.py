"""The settings of a provider as they are typed."""

from pathlib import Path

import pytest

from sourcebook.cli.providers import read_settings
from sourcebook.core.errors import InvalidInput

SECRET = "sk-0123456789"


@pytest.mark.parametrize(
    "text", ['{"url": "http://a", "port": 1}', "url: http://a\nport: 1\n"], ids=["json", "yaml"]
)
def test_settings_come_from_a_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings"
    path.write_text(text)

    assert read_settings(str(path), []) == {"url": "http://a", "port": 1}


def test_settings_come_as_json_and_one_by_one() -> None:
    given = read_settings('{"url": "http://a", "key": "old"}', ["key=a=b", " name = x "])

    assert given == {"url": "http://a", "key": "a=b", "name": " x "}
    assert read_settings(None, []) == {}


@pytest.mark.parametrize("setting", ["url", "=x", "  =x", ""])
def test_a_setting_needs_a_name_and_a_value(setting: str) -> None:
    with pytest.raises(InvalidInput, match="--set takes NAME=VALUE"):
        read_settings(None, [setting])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f'{{"key": "{SECRET}"', "is no valid JSON or YAML"),
        (f'key: "{SECRET}', "is no valid JSON or YAML"),
        (f"- {SECRET}", "must hold an object of settings"),
        ("7: x", "must hold an object of settings"),
        ("", "must hold an object of settings"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_not_quoted(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "settings.yml"
    path.write_text(text)

    with pytest.raises(InvalidInput, match=problem) as caught:
        read_settings(str(path), [])
    assert "settings.yml" in caught.value.message
    assert SECRET not in caught.value.message


def test_json_that_cannot_be_used_is_not_quoted() -> None:
    with pytest.raises(InvalidInput, match=r"--config is no valid JSON$") as caught:
        read_settings(f'{{"key": "{SECRET}"', [])
    assert SECRET not in caught.value.message


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"The file 'nowhere.yml' cannot be read: No such file"):
        read_settings("nowhere.yml", [])
