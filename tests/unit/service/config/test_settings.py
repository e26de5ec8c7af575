"""A flag wins over the environment, that over `.env`, that over the YAML file."""

from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.settings import check_bind, load_settings

KEY = "canary-4711-long-enough"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "sourcebook.yml"
    path.write_text("port: 1\nembeddings_config: from-yaml.yml\n")
    return path


def test_defaults_are_safe() -> None:
    settings = load_settings()

    assert (settings.host, settings.port, settings.loopback) == ("127.0.0.1", 8000, True)
    assert settings.embeddings_config is None


@pytest.mark.spec("001 Load models from environment variable")
def test_each_source_wins_over_the_next(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(**flags: object) -> str:
        return str(load_settings(config, **flags).embeddings_config)

    seen = [found()]
    (tmp_path / ".env").write_text("EMBEDDINGS_CONFIG=from-dotenv.yml\nSOMETHING_ELSE=1\n")
    seen.append(found())
    monkeypatch.setenv("EMBEDDINGS_CONFIG", "from-environment.yml")
    seen.append(found())
    seen.append(found(embeddings_config=Path("from-flag.yml")))

    assert seen == ["from-yaml.yml", "from-dotenv.yml", "from-environment.yml", "from-flag.yml"]


def test_unknown_keys_of_the_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "sourcebook.yml"
    path.write_text("prot: 1\nhsot: x\n")

    with pytest.raises(ConfigurationError, match="hsot, prot") as caught:
        load_settings(path)

    assert "Known: " in caught.value.message


@pytest.mark.parametrize("content", ["[1, 2]", "a: [", "\xff\xfe", "[" * 5_000])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "sourcebook.yml"
    path.write_bytes(content.encode("latin-1"))

    with pytest.raises(ConfigurationError, match="settings file"):
        load_settings(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Cannot read the settings file"):
        load_settings(tmp_path / "nowhere.yml")


def test_a_bad_value_is_named_and_a_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCEBOOK_PORT", "eighty")
    monkeypatch.setenv("ADMIN_API_KEY", KEY)

    with pytest.raises(ConfigurationError, match="SOURCEBOOK_PORT") as caught:
        load_settings()

    assert KEY not in caught.value.message
    monkeypatch.delenv("SOURCEBOOK_PORT")
    assert KEY not in repr(load_settings())


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_other_machines_may_reach_us_only_with_a_key(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigurationError, match="set ADMIN_API_KEY"):
        check_bind(load_settings(host=host))

    monkeypatch.setenv("ADMIN_API_KEY", KEY)
    check_bind(load_settings(host=host))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_needs_no_key(host: str) -> None:
    assert load_settings(host=host).loopback


def test_a_short_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADMIN_API_KEY", "too-short")

    with pytest.raises(ConfigurationError, match="at least 16 characters") as caught:
        check_bind(load_settings())

    assert "too-short" not in caught.value.message


@pytest.mark.parametrize("name", ["HOST", "DATA_DIR", "LOG_LEVEL", "host", "port"])
def test_variables_of_other_programs_are_not_ours(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load_settings().model_dump()

    monkeypatch.setenv(name, "something-else")

    assert load_settings().model_dump() == before


def test_a_dotenv_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigurationError, match="not UTF-8"):
        load_settings()


@pytest.mark.parametrize("value", [",", " , "])
def test_an_allow_list_of_models_names_some(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SOURCEBOOK_CHAT_MODELS", value)

    with pytest.raises(ConfigurationError, match=r"SOURCEBOOK_CHAT_MODELS.*names no model"):
        load_settings()
    monkeypatch.delenv("SOURCEBOOK_CHAT_MODELS")
    assert load_settings().chat_models == ()


@pytest.mark.parametrize(
    "origin",
    ["*.example.com", "https://*.example.com", "book.example", "https://", "https://a.example/app"],
)
def test_an_origin_that_no_page_has_is_refused(
    monkeypatch: pytest.MonkeyPatch, origin: str
) -> None:
    monkeypatch.setenv("ALLOWED_ORIGINS", f"http://localhost:3000, {origin}")

    with pytest.raises(ConfigurationError, match=r"ALLOWED_ORIGINS.* is no origin") as caught:
        load_settings()
    assert repr(origin.rstrip("/")) in caught.value.message


def test_origins_are_written_as_browsers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_ORIGINS", "HTTPS://Book.Example/,http://[::1]:3000,null,app://x")

    assert load_settings().origins == [
        "https://book.example",
        "http://[::1]:3000",
        "null",
        "app://x",
    ]


def test_the_port_of_a_platform_is_taken_where_nothing_else_names_one(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", "9")
    seen = [load_settings().port, load_settings(config).port]
    (tmp_path / ".env").write_text("SOURCEBOOK_PORT=2\n")
    seen.append(load_settings(config).port)
    monkeypatch.setenv("SOURCEBOOK_PORT", "3")
    seen += [load_settings(config).port, load_settings(config, port=4).port]

    assert seen == [9, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "port", ["eighty", "-1", "65536", "8000000", "80.0", "\N{SUPERSCRIPT TWO}"]
)
def test_a_bad_port_of_a_platform_is_named_unless_ours_is_set(
    monkeypatch: pytest.MonkeyPatch, port: str
) -> None:
    monkeypatch.setenv("PORT", port)

    with pytest.raises(ConfigurationError, match=r"port \(PORT\): .* SOURCEBOOK_PORT"):
        load_settings()

    assert load_settings(port=8001).port == 8001


@pytest.mark.parametrize(
    ("given", "kept"),
    [("", ""), ("/", ""), ("kb", "/kb"), ("/kb/", "/kb"), ("/team/kb.v1", "/team/kb.v1")],
)
def test_a_root_path_begins_with_a_slash_and_ends_without_one(given: str, kept: str) -> None:
    assert load_settings(root_path=given).root_path == kept


@pytest.mark.parametrize("given", ["https://host/kb", "/a b", "/a/../b", "/a//b", "/ü", "/a?b"])
def test_what_is_no_path_is_no_root_path(given: str) -> None:
    with pytest.raises(ConfigurationError, match=r"SOURCEBOOK_ROOT_PATH.* use the form /sourceb"):
        load_settings(root_path=given)
