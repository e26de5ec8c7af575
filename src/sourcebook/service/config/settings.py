"""Settings: flags override the environment, that overrides `.env`, that overrides the YAML file."""

import ipaddress
import os
import re
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
import yaml
from pydantic import BeforeValidator, Field, JsonValue, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from sourcebook.core.answers import Grounding
from sourcebook.core.errors import ConfigurationError
from sourcebook.core.hardware_tiers import MAX_TIER, MIN_TIER
from sourcebook.core.search_modes import DEFAULT_LANGUAGE, SearchMode
from sourcebook.providers.language_models.endpoint import GEMINI_MODEL, GEMINI_URL
from sourcebook.providers.sources.website.options import (
    MAX_DEPTH,
    MAX_PAGES,
    MAX_RATE,
    MIN_RATE,
    Discovery,
)
from sourcebook.service.config.api_keys import MIN_KEY_LENGTH, ConfiguredKey, parse_api_keys

# Hosting platforms tell a service its port in this variable.
PLATFORM_PORT = "PORT"
MAX_PORT = 65_535
MAX_WORKERS = 64
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
# The value of SOURCEBOOK_LLM that means: no language model, answers are quotes.
NO_LLM = "none"
# As browsers write it, where `null` stands for a page without an origin.
_ORIGIN = re.compile(r"\*|null|[a-z][a-z0-9+.-]*://[^\s/?#@*]+")
_PUBLIC_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?")
_PORT = re.compile(r"[0-9]{1,5}")
_ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def _words(value: object) -> object:
    """Split the words of one variable; a list from the file stays."""
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


def _pairs(value: object) -> object:
    """Parse `old=new,other=newer`; a mapping from the file stays."""
    if not isinstance(value, str):
        return value
    pairs = [word.partition("=") for word in value.split(",") if word.strip()]
    if not all(equals for _, equals, _ in pairs):
        raise ValueError("use the form old=new,other=newer")
    return {old.strip(): new.strip() for old, _, new in pairs}


def _origins(value: str) -> list[str]:
    """Split the origins of one variable, written as browsers do."""
    given = (origin.strip().rstrip("/").lower() for origin in value.split(","))
    return [origin for origin in given if origin]


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_words)]
Pairs = Annotated[dict[str, str], NoDecode, BeforeValidator(_pairs)]
ApiKeys = Annotated[dict[str, ConfiguredKey], NoDecode, BeforeValidator(parse_api_keys)]


class Settings(BaseSettings):
    """Everything that an operator can choose."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    host: str = Field("127.0.0.1", validation_alias="SOURCEBOOK_HOST")
    port: int = Field(8000, ge=0, le=MAX_PORT, validation_alias="SOURCEBOOK_PORT")
    root_path: str = Field("", validation_alias="SOURCEBOOK_ROOT_PATH")
    data_dir: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("sourcebook", appauthor=False),
        validation_alias="SOURCEBOOK_DATA_DIR",
    )
    ledger_url: SecretStr | None = Field(None, validation_alias="SOURCEBOOK_LEDGER_URL")
    database_url: SecretStr | None = Field(None, validation_alias="DATABASE_URL")
    max_conversation_history: int = Field(
        10, ge=0, le=100, validation_alias="MAX_CONVERSATION_HISTORY"
    )
    conversation_retention_days: float = Field(
        30.0, ge=1, le=36_500, validation_alias="CONVERSATION_RETENTION_DAYS"
    )
    list_books: bool | None = Field(None, validation_alias="SOURCEBOOK_LIST_BOOKS")
    keep_unanswered: bool = Field(False, validation_alias="SOURCEBOOK_KEEP_UNANSWERED")
    marks: bool = Field(False, validation_alias="SOURCEBOOK_MARKS")
    feedback_days: float = Field(90.0, ge=1, le=3_650, validation_alias="SOURCEBOOK_FEEDBACK_DAYS")
    embeddings_config: Path | None = Field(None, validation_alias="EMBEDDINGS_CONFIG")
    cross_encoder: str | None = Field(None, validation_alias="CROSS_ENCODER_MODEL")
    cross_encoder_path: Path | None = Field(None, validation_alias="CROSS_ENCODER_PATH")
    offline: bool = Field(False, validation_alias="SOURCEBOOK_OFFLINE")
    reranker: str | None = Field(None, validation_alias="SOURCEBOOK_RERANKER")
    reranker_config: dict[str, JsonValue] = Field(
        default_factory=dict, repr=False, validation_alias="SOURCEBOOK_RERANKER_CONFIG"
    )
    reader: str | None = Field(None, validation_alias="SOURCEBOOK_READER")
    judge: str | None = Field(None, validation_alias="SOURCEBOOK_JUDGE")
    judge_config: dict[str, JsonValue] = Field(
        default_factory=dict, repr=False, validation_alias="SOURCEBOOK_JUDGE_CONFIG"
    )
    judge_model: str | None = Field(None, validation_alias="SOURCEBOOK_JUDGE_MODEL")
    judge_threshold: float | None = Field(
        None, gt=0, le=1, validation_alias="SOURCEBOOK_JUDGE_THRESHOLD"
    )
    answer_threshold: float = Field(0.5, ge=0, le=1, validation_alias="SOURCEBOOK_ANSWER_THRESHOLD")
    grounding: Grounding = Field("strict", validation_alias="SOURCEBOOK_GROUNDING")
    unproven: Literal["quote", "mark"] = Field("quote", validation_alias="SOURCEBOOK_UNPROVEN")
    cohere_api_key: SecretStr | None = Field(None, validation_alias="COHERE_API_KEY")
    vector_store: str | None = Field(None, validation_alias="SOURCEBOOK_VECTOR_STORE")
    vector_store_config: dict[str, JsonValue] = Field(
        default_factory=dict, repr=False, validation_alias="SOURCEBOOK_VECTOR_STORE_CONFIG"
    )
    qdrant_url: str | None = Field(None, validation_alias="QDRANT_URL")
    qdrant_api_key: SecretStr | None = Field(None, validation_alias="QDRANT_API_KEY")
    qdrant_collection_name: str = Field("rag_embedding", validation_alias="QDRANT_COLLECTION_NAME")
    search_mode: SearchMode = Field("hybrid", validation_alias="SOURCEBOOK_SEARCH_MODE")
    language: str = Field(DEFAULT_LANGUAGE, validation_alias="SOURCEBOOK_LANGUAGE")
    adopted_config: Path | None = Field(None, validation_alias="SOURCEBOOK_ADOPTED_CONFIG")
    allowed_private_hosts: Words = Field((), validation_alias="SOURCEBOOK_ALLOWED_PRIVATE_HOSTS")
    admin_api_key: SecretStr | None = Field(None, validation_alias="ADMIN_API_KEY")
    api_keys: ApiKeys = Field(
        default_factory=dict, repr=False, validation_alias="SOURCEBOOK_API_KEYS"
    )
    public_url: str | None = Field(None, validation_alias="SOURCEBOOK_PUBLIC_URL")
    openai_source_list: bool = Field(True, validation_alias="SOURCEBOOK_OPENAI_SOURCE_LIST")
    book_id: str = Field("book", min_length=1, max_length=200, validation_alias="BOOK_ID")
    docs_path: Path | None = Field(None, validation_alias="DOCS_PATH")
    docs_repository: SecretStr | None = Field(None, validation_alias="SOURCEBOOK_DOCS_REPOSITORY")
    docs_branch: str | None = Field(None, validation_alias="SOURCEBOOK_DOCS_BRANCH")
    docs_subfolder: str = Field("", validation_alias="SOURCEBOOK_DOCS_SUBFOLDER")
    docs_site: str | None = Field(None, validation_alias="SOURCEBOOK_DOCS_SITE")
    site_include: Words = Field((), validation_alias="SOURCEBOOK_SITE_INCLUDE")
    site_selector: str | None = Field(None, validation_alias="SOURCEBOOK_SITE_SELECTOR")
    site_discovery: Discovery = Field("auto", validation_alias="SOURCEBOOK_SITE_DISCOVERY")
    site_max_depth: int = Field(5, ge=0, le=MAX_DEPTH, validation_alias="SOURCEBOOK_SITE_MAX_DEPTH")
    site_max_pages: int = Field(
        1_000, ge=1, le=MAX_PAGES, validation_alias="SOURCEBOOK_SITE_MAX_PAGES"
    )
    site_requests_per_s: float = Field(
        4.0, ge=MIN_RATE, le=MAX_RATE, validation_alias="SOURCEBOOK_SITE_REQUESTS_PER_S"
    )
    site_pdfs: bool = Field(True, validation_alias="SOURCEBOOK_SITE_PDFS")
    site_refresh_hours: float = Field(
        24.0, ge=0, le=10_000, validation_alias="SOURCEBOOK_SITE_REFRESH_HOURS"
    )
    docs_roots: Words = Field((), validation_alias="SOURCEBOOK_DOCS_ROOTS")
    book_patterns: Words = Field((), validation_alias="SOURCEBOOK_BOOK_PATTERNS")
    book_exclude: Words = Field((), validation_alias="SOURCEBOOK_BOOK_EXCLUDE")
    module_aliases: Pairs = Field(
        default_factory=dict, validation_alias="SOURCEBOOK_MODULE_ALIASES"
    )
    unreadable_tier: int = Field(
        MIN_TIER, ge=MIN_TIER, le=MAX_TIER, validation_alias="SOURCEBOOK_UNREADABLE_TIER"
    )
    book_collection: str = Field("book", validation_alias="SOURCEBOOK_BOOK_COLLECTION")
    documents_collection: str = Field(
        "documents", validation_alias="SOURCEBOOK_DOCUMENTS_COLLECTION"
    )
    frontend_base_url: str | None = Field(None, validation_alias="FRONTEND_BASE_URL")
    github_webhook_secret: SecretStr | None = Field(None, validation_alias="GITHUB_WEBHOOK_SECRET")
    github_webhook_repository: str | None = Field(
        None, validation_alias="GITHUB_WEBHOOK_REPOSITORY", pattern=r"^[\w.-]+/[\w.-]+$"
    )
    reconcile_minutes: float = Field(
        10.0, ge=0, le=100_000, validation_alias="SOURCEBOOK_RECONCILE_MINUTES"
    )
    embedding_cache_hours: float = Field(
        24.0, ge=1, le=876_000, validation_alias="SOURCEBOOK_EMBEDDING_CACHE_HOURS"
    )
    embedding_cache_mb: int = Field(
        1_000, ge=0, le=10_000_000, validation_alias="SOURCEBOOK_EMBEDDING_CACHE_MB"
    )
    max_probes: int = Field(200, ge=0, le=2_000, validation_alias="SOURCEBOOK_MAX_PROBES")
    conversion_timeout_s: float = Field(
        120.0, ge=1, le=3_600, validation_alias="SOURCEBOOK_CONVERSION_TIMEOUT_S"
    )
    conversion_memory_mb: int = Field(
        2_048, ge=512, le=1_000_000, validation_alias="SOURCEBOOK_CONVERSION_MEMORY_MB"
    )
    ocr: Literal["off", "tesseract"] = Field("off", validation_alias="SOURCEBOOK_OCR")
    ocr_language: str = Field(
        "eng", validation_alias="SOURCEBOOK_OCR_LANGUAGE", pattern=r"^\w+(\+\w+)*$"
    )
    ocr_page_timeout_s: float = Field(
        30.0, ge=1, le=3_600, validation_alias="SOURCEBOOK_OCR_PAGE_TIMEOUT_S"
    )
    tessdata: Path | None = Field(None, validation_alias="TESSDATA_PREFIX")
    allowed_origins: str = Field(
        "http://localhost:3000,http://127.0.0.1:3000,http://localhost:3001",
        validation_alias="ALLOWED_ORIGINS",
    )
    allowed_hosts: str = Field("", validation_alias="ALLOWED_HOSTS")
    chat_rate_limit: int = Field(60, ge=0, le=100_000, validation_alias="API_RATE_LIMIT")
    search_rate_limit: int = Field(
        0, ge=0, le=100_000, validation_alias="SOURCEBOOK_SEARCH_RATE_LIMIT"
    )
    chats_at_once: int = Field(10, ge=1, le=1_000, validation_alias="SOURCEBOOK_CHATS_AT_ONCE")
    chat_timeout_s: float = Field(30.0, ge=10, le=600, validation_alias="SOURCEBOOK_CHAT_TIMEOUT_S")
    chat_models: Words = Field((), validation_alias="SOURCEBOOK_CHAT_MODELS")
    api_chat_timeout_s: float = Field(
        120.0, ge=10, le=600, validation_alias="SOURCEBOOK_API_CHAT_TIMEOUT_S"
    )
    trusted_proxies: Words = Field((), validation_alias="SOURCEBOOK_TRUSTED_PROXIES")
    redis_url: SecretStr | None = Field(None, validation_alias="SOURCEBOOK_REDIS_URL")
    local: bool = Field(False, validation_alias="SOURCEBOOK_LOCAL")
    work: bool = Field(True, validation_alias="SOURCEBOOK_WORK")
    workers: int = Field(1, ge=1, le=MAX_WORKERS, validation_alias="SOURCEBOOK_WORKERS")
    llm: str | None = Field(None, validation_alias="SOURCEBOOK_LLM")
    llm_fallback: Literal["extractive", "none"] | None = Field(
        None, validation_alias="SOURCEBOOK_LLM_FALLBACK"
    )
    language_model: str | None = Field(None, validation_alias="SOURCEBOOK_LANGUAGE_MODEL")
    language_model_config: dict[str, JsonValue] = Field(
        default_factory=dict, repr=False, validation_alias="SOURCEBOOK_LANGUAGE_MODEL_CONFIG"
    )
    llm_base_url: str | None = Field(None, validation_alias="SOURCEBOOK_LLM_BASE_URL")
    llm_api_key: SecretStr | None = Field(None, validation_alias="SOURCEBOOK_LLM_API_KEY")
    llm_model: str | None = Field(None, validation_alias="SOURCEBOOK_LLM_MODEL")
    gemini_api_key: SecretStr | None = Field(None, validation_alias="GEMINI_API_KEY")
    gemini_model: str = Field(GEMINI_MODEL, validation_alias="GEMINI_MODEL")
    gemini_base_url: str = Field(GEMINI_URL, validation_alias="GEMINI_BASE_URL")
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    ollama_host: str | None = Field(None, validation_alias="OLLAMA_HOST")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", validation_alias="SOURCEBOOK_LOG_LEVEL"
    )
    log_format: Literal["auto", "text", "json"] = Field(
        "auto", validation_alias="SOURCEBOOK_LOG_FORMAT"
    )

    @field_validator("llm")
    @classmethod
    def _provider_first(cls, value: str | None) -> str | None:
        if value is not None and not value.partition(":")[0].strip():
            raise ValueError(
                "use the form PROVIDER or PROVIDER:MODEL, such as gemini or ollama:llama3.2, or"
                f" {NO_LLM} for answers without a language model"
            )
        return value

    @field_validator("log_level", "llm_fallback", "unproven", "grounding", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("root_path")
    @classmethod
    def _prefix(cls, value: str) -> str:
        """Return the prefix with a slash in front and none at the end; "" for no prefix."""
        prefix = "/" + value.strip("/") if value.strip("/") else ""
        segments = prefix.split("/")
        if not _ROOT_PATH.fullmatch(prefix) or "." in segments or ".." in segments:
            raise ValueError(
                f"{value!r} is no path: use the form /sourcebook, without a host and without"
                " characters that URLs escape"
            )
        return prefix

    @field_validator("public_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not _PUBLIC_URL.fullmatch(value):
            raise ValueError(
                f"{value[:80]!r} is no address: use the form https://host or https://host/prefix"
            )
        return None if value is None else value.rstrip("/")

    @field_validator("docs_path")
    @classmethod
    def _at_home(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser()

    @field_validator("docs_branch")
    @classmethod
    def _short(cls, value: str | None) -> str | None:
        return None if value is None else value.removeprefix("refs/heads/")

    @field_validator("chat_models", mode="before")
    @classmethod
    def _some(cls, value: object) -> object:
        # The default, an empty tuple, is no list that somebody wrote.
        if value != () and not _words(value):
            raise ValueError(
                "it is set but names no model: name some, '*' for any, or leave it out"
            )
        return value

    @field_validator("allowed_origins")
    @classmethod
    def _without_patterns(cls, value: str) -> str:
        for origin in _origins(value):
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{origin!r} is no origin: use the form https://host or https://host:port."
                    " Patterns are not supported: name each origin, or '*' for all"
                )
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            ipaddress.ip_network(name, strict=False)
        return value

    @field_validator("data_dir")
    @classmethod
    def _expanded(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @property
    def has_book(self) -> bool:
        """True if a book is configured: a folder, a git repository or a website."""
        return bool(self.docs_path or self.docs_repository or self.docs_site)

    @property
    def book_id_told(self) -> bool:
        """True if somebody chose the book: questions that name none are for it alone."""
        return "book_id" in self.model_fields_set

    def keeping(self, book_id: str) -> "Settings":
        """Return the same for a service that keeps this book; other books are asked as before."""
        kept = self.model_copy(update={"book_id": book_id})
        if not self.book_id_told:
            kept.model_fields_set.discard("book_id")
        return kept

    @property
    def llm_told(self) -> bool:
        """True if a setting of our own chooses the language model, or none.

        The keys and hosts of the specifications may be set for other programs.
        """
        return bool(self.llm or self.language_model or self.llm_base_url)

    @property
    def origins(self) -> list[str]:
        """The origins whose pages may call this service; `*` stands for all."""
        return _origins(self.allowed_origins)

    @property
    def hosts(self) -> frozenset[str] | None:
        """The host names that this service answers to; None for any."""
        given = {name.strip().lower() for name in self.allowed_hosts.split(",") if name.strip()}
        if self.loopback:
            return LOOPBACK_HOSTS | given
        return frozenset(given) or None

    @property
    def open_writes(self) -> bool:
        """True if writes need no key: on loopback, unless a key or a proxy is configured.

        Behind a proxy, whoever reaches it reaches loopback.
        """
        return self.loopback and self.admin_api_key is None and not self.trusted_proxies

    @property
    def requires_api_keys(self) -> bool:
        """True if `/v1` and `/mcp` need a key: once there are any, and wherever others can ask."""
        return not self.loopback or bool(self.api_keys) or bool(self.trusted_proxies)

    @property
    def lists_books(self) -> bool:
        """True if visitors may see which books there are; by default where they need no key."""
        return not self.requires_api_keys if self.list_books is None else self.list_books

    @property
    def loopback(self) -> bool:
        """True if only this machine can reach the service."""
        return is_loopback(self.host)


class PlatformPort(PydanticBaseSettingsSource):
    """PORT, where nothing else names a port. Sources that come before this one win."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[object, str, bool]:
        """Return nothing: all there is comes from `__call__`."""
        return None, field_name, False

    def __call__(self) -> dict[str, object]:
        """Return the port; ConfigurationError if PORT holds none."""
        given = os.environ.get(PLATFORM_PORT, "").strip()
        if not given or _variable("port") in self.current_state:
            return {}
        if not _PORT.fullmatch(given) or int(given) > MAX_PORT:
            raise ConfigurationError(
                f"Bad settings: port ({PLATFORM_PORT}): {given[:40]!r} is no port from 0 to"
                f" {MAX_PORT}. Mend it, or set {_variable('port')}, which wins"
            )
        return {_variable("port"): int(given)}


def load_settings(config: Path | None = None, **flags: object) -> Settings:
    """Read the settings; flags that are None were not given."""
    above = {_variable(name): value for name, value in flags.items() if value is not None}
    below = {_variable(name): value for name, value in _read_yaml(config).items()}

    class Layered(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            file = InitSettingsSource(settings_cls, init_kwargs=below)
            platform = PlatformPort(settings_cls)
            return init_settings, env_settings, dotenv_settings, file, platform

    try:
        return Layered(**above)  # type: ignore[arg-type]
    except ValidationError as error:
        raise ConfigurationError(_explain(error)) from None
    except UnicodeDecodeError:
        raise ConfigurationError("The file .env is not UTF-8 text") from None


def local_unless_told(settings: Settings) -> Settings:
    """Return the settings for a command of one person, or for the library.

    They use no remote model that nobody told them to use, and quote when one fails.
    """
    update = {
        "llm": settings.llm if settings.llm_told else NO_LLM,
        "llm_fallback": settings.llm_fallback or "extractive",
    }
    return settings.model_copy(update=update)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_bind(settings: Settings) -> None:
    """Refuse to listen for other machines without a key that protects writes."""
    key = settings.admin_api_key
    if key is not None and len(key.get_secret_value()) < MIN_KEY_LENGTH:
        raise ConfigurationError(
            f"ADMIN_API_KEY is too short: use at least {MIN_KEY_LENGTH} characters"
        )
    if not settings.loopback and key is None:
        raise ConfigurationError(
            f"Host {settings.host!r} can be reached from other machines, so writes need a key:"
            " set ADMIN_API_KEY, or leave the host at 127.0.0.1"
        )


def _variable(name: str) -> str:
    """Return the environment variable of a setting, its only name. HOST in the environment belongs
    to other programs; PORT counts only where nothing else names a port."""
    return str(Settings.model_fields[name].validation_alias)


def _read_yaml(path: Path | None) -> dict[str, object]:
    if path is None:
        return {}
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"Cannot read the settings file {path}: {error}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigurationError(f"The settings file {path} is not valid YAML: {error}") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigurationError(f"The settings file {path} must hold keys and values")
    unknown = sorted(str(key) for key in values.keys() - Settings.model_fields.keys())
    if unknown:
        raise ConfigurationError(
            f"Unknown settings in {path}: {', '.join(unknown)}."
            f" Known: {', '.join(sorted(Settings.model_fields))}"
        )
    return values


def _explain(error: ValidationError) -> str:
    names = {_variable(name): name for name in Settings.model_fields}
    problems = [
        f"{names.get(str(found['loc'][0]))} ({found['loc'][0]}):"
        f" {found['msg'].removeprefix('Value error, ')}"
        for found in error.errors(include_input=False, include_url=False)
    ]
    return "Bad settings: " + "; ".join(problems)
