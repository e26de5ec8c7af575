"""What must be known to reach a Chroma server or Chroma Cloud."""

from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

API = "/api/v2"
TIMEOUT_S = 30.0


def _server_url(value: str) -> str:
    """The URL without a slash at its end."""
    try:
        parts = urlsplit(value.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("is not a URL; use the form http://host:8000") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise ValueError("must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must hold no user or password; a token goes into token")
    if parts.query or parts.fragment:
        raise ValueError("must end with its path; leave out what follows ? or #")
    return value.strip().rstrip("/")


class ChromaServerSettings(BaseModel):
    """How to reach a Chroma server."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)

    url: Annotated[str, AfterValidator(_server_url)] = Field(
        title="URL",
        description="The server's address, without /api",
        examples=["http://localhost:8000"],
        json_schema_extra={"format": "uri"},
    )
    token: SecretStr | None = Field(
        None, title="Token", description="Chroma Cloud needs one; a server of your own may"
    )
    token_header: Literal["x-chroma-token", "authorization"] = Field(
        "x-chroma-token",
        title="Header of the token",
        description="x-chroma-token sends it as it is, authorization as a bearer token",
    )
    tenant: str = Field(
        "default_tenant",
        min_length=1,
        max_length=256,
        title="Tenant",
        description="Chroma Cloud names yours; a server of your own has this one",
    )
    database: str = Field(
        "default_database",
        min_length=1,
        max_length=256,
        title="Database",
        description="The tenant's database that holds the collections",
    )
    timeout_s: float = Field(
        TIMEOUT_S, gt=0, le=300, title="Timeout", description="Seconds that one request may take"
    )

    def headers(self) -> dict[str, str]:
        """What a request carries to be let in."""
        if self.token is None:
            return {}
        token = self.token.get_secret_value()
        if self.token_header == "x-chroma-token":  # noqa: S105 - the name of a header
            return {self.token_header: token}
        return {self.token_header: f"Bearer {token}"}

    @property
    def database_route(self) -> str:
        """Where the database is, below the address of the API."""
        return f"/tenants/{quote(self.tenant, safe='')}/databases/{quote(self.database, safe='')}"
