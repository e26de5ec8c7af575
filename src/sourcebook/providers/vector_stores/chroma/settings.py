"""The settings of the embedded Chroma, of another tool's folder, and of a server."""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from sourcebook.providers.outbound.server_urls import LENIENT, check_server_url

API = "/api/v2"
DEFAULT_FOLDER = "chroma"
DEFAULT_TIMEOUT_S = 30.0


def _server_url(value: str) -> str:
    return check_server_url(
        value,
        form="http://host:8000",
        credentials="a token goes into token",
        query="must end with its path; leave out what follows ? or #",
        ignored=LENIENT,
    )


class ChromaSettings(BaseModel):
    """Where the embedded Chroma keeps its files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        DEFAULT_FOLDER,
        min_length=1,
        title="Folder",
        description="A folder inside the data folder. Only one process can have it open.",
    )


class ChromaFolderSettings(BaseModel):
    """A folder that another tool filled with Chroma, and does not write to meanwhile."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    path: Path = Field(title="Folder", description="The folder that holds chroma.sqlite3")


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
        DEFAULT_TIMEOUT_S,
        gt=0,
        le=300,
        title="Timeout",
        description="Seconds that one request may take",
    )

    def headers(self) -> dict[str, str]:
        """Return the headers that authenticate a request."""
        if self.token is None:
            return {}
        token = self.token.get_secret_value()
        if self.token_header == "x-chroma-token":  # noqa: S105 - the name of a header
            return {self.token_header: token}
        return {self.token_header: f"Bearer {token}"}

    @property
    def database_route(self) -> str:
        """The path of the database, below the API's."""
        return f"/tenants/{quote(self.tenant, safe='')}/databases/{quote(self.database, safe='')}"
