"""API keys are read with their bounds, and nobody can read them back."""

import hashlib
import json

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.admin_key import AdminKey
from sourcebook.service.config.api_keys import ConfiguredKey
from sourcebook.service.config.settings import load_settings
from sourcebook.service.http.server import api_key_rule
from sourcebook.surfaces.api_keys import Grant
from tests.surfaces.headers import bearer

KEY = "a-key-of-enough-letters"
DIGEST = hashlib.sha256(KEY.encode())


def test_a_key_has_a_name_its_books_and_its_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"anna": KEY, "kiosk": {"key": f"{KEY}2", "books": ["robots"], "tier": 2}}
    monkeypatch.setenv("SOURCEBOOK_API_KEYS", json.dumps(keys))

    settings = load_settings()

    assert settings.api_keys["anna"] == ConfiguredKey(DIGEST.digest())
    assert settings.api_keys["kiosk"].books == ("robots",)
    assert settings.api_keys["kiosk"].tier == 2


def test_only_the_digest_of_a_key_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCEBOOK_API_KEYS", json.dumps({"anna": KEY}))

    settings = load_settings()

    assert KEY not in repr(settings.model_dump())
    assert DIGEST.digest().hex() not in repr(settings)


def test_a_key_can_be_given_by_its_digest() -> None:
    settings = load_settings(api_keys={"anna": f"sha256:{DIGEST.hexdigest()}"})
    rule = api_key_rule(settings, AdminKey("the-admin-key-of-this-test"))

    assert rule.check(bearer(KEY), "here") == Grant("anna")


def test_the_admin_key_is_a_key_without_bounds() -> None:
    settings = load_settings(api_keys={"kiosk": {"key": KEY, "tier": 1}})
    rule = api_key_rule(settings, AdminKey("the-admin-key-of-this-test"))

    assert rule.check(bearer("the-admin-key-of-this-test"), "here") == Grant("admin")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("{", "not valid JSON"),
        ("[]", "JSON object of names and keys"),
        ({"anna": "short"}, "too short"),
        ({"anna": {"books": ["robots"]}}, "has no key"),
        ({"anna": {"key": KEY, "books": []}}, "'books' of the key 'anna'"),
        ({"anna": {"key": KEY, "tier": 5}}, "'tier' of the key 'anna'"),
        ({"anna": {"key": KEY, "tire": 1}}, "unknown fields: tire"),
        ({"anna": KEY, "bert": KEY}, "same key"),
    ],
)
def test_what_is_wrong_with_a_key_is_said_without_showing_it(given: object, named: str) -> None:
    with pytest.raises(ConfigurationError, match=named) as refused:
        load_settings(api_keys=given)

    assert KEY not in str(refused.value)
    assert "SOURCEBOOK_API_KEYS" in str(refused.value)


@pytest.mark.parametrize(
    ("flags", "required"),
    [
        ({}, False),
        ({"host": "192.0.2.1"}, True),
        ({"api_keys": {"anna": KEY}}, True),
        ({"trusted_proxies": ("192.0.2.1",)}, True),
    ],
)
def test_a_key_is_needed_once_there_is_one_and_wherever_others_can_ask(
    flags: dict[str, object], required: bool
) -> None:
    assert load_settings(None, **flags).requires_api_keys is required
    assert load_settings(None, **flags).lists_books is not required
    assert load_settings(None, **flags, list_books=required).lists_books is required


@pytest.mark.parametrize("address", ["book.example", "https://book.example?a", "ftp://a"])
def test_a_public_address_is_an_address(address: str) -> None:
    with pytest.raises(ConfigurationError, match="SOURCEBOOK_PUBLIC_URL"):
        load_settings(public_url=address)
