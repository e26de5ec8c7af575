"""The doctor finds keys that can be none, and shows none."""

from pathlib import Path

import pytest

from sourcebook.service.config.settings import load_settings
from sourcebook.service.doctor.keys import check_admin_key, check_key, check_keys

GOOD = "sk-proj-4eC39HqLyjWDarjtT1zdp7dc"


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (GOOD, "ok"),
        (f"{GOOD}\n", "ok"),
        (f'"{GOOD}"', "problem"),
        (f"“{GOOD}”", "problem"),
        (f"{GOOD} {GOOD}", "problem"),
        ("...", "problem"),
        ("your-api-key-goes-here", "problem"),
        ("<paste your key>", "problem"),
        ("xxxxxxxxxxxxxxxxxxxxxxxx", "problem"),
        ("sk-short", "warning"),
        ("AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "warning"),
        (" ", "warning"),
    ],
)
def test_what_can_be_no_key_is_said_without_showing_it(value: str, status: str) -> None:
    result = check_key("OPENAI_API_KEY", value)

    assert result.status == status
    assert value.strip() == "" or value.strip() not in f"{result.found} {result.advice}"


def test_an_admin_key_that_is_too_short_is_a_problem() -> None:
    assert check_key("ADMIN_API_KEY", "s3cret").status == "problem"


def test_no_keys_are_in_order() -> None:
    (result,) = check_keys(load_settings())

    assert (result.status, result.name) == ("ok", "Keys")


def test_every_key_that_is_set_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", GOOD)
    monkeypatch.setenv("SOURCEBOOK_LEDGER_URL", "mysql://user:geheim@localhost/db")

    ledger, openai = check_keys(load_settings())

    assert (openai.name, openai.status) == ("OPENAI_API_KEY", "ok")
    assert (ledger.name, ledger.status) == ("SOURCEBOOK_LEDGER_URL", "problem")
    assert "geheim" not in f"{ledger.found}{ledger.advice}"


def test_a_made_admin_key_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    assert list(check_admin_key(settings)) == []
    key = tmp_path / "admin.key"
    key.write_text("k" * 40)
    key.chmod(0o644)

    (result,) = check_admin_key(settings)

    assert (result.status, result.advice) == ("warning", f"chmod 600 {key}")
