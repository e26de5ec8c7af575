"""The settings of the embedded Chroma, of another tool's folder, and of a server."""

import os
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.outbound.server_urls import LENIENT, check_server_url

DEFAULT_FOLDER = "chroma"
DEFAULT_TIMEOUT_S = 30.0
# What Chroma takes for a name, with ours before it. Here, where its library need not be installed.
INDEX_ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
NAMESPACE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?")


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


def folder_inside(data_dir: Path, path: str) -> Path:
    """Resolve a folder of the data folder; ConfigurationError if it lies outside."""
    # By its text alone: where a link inside the folder leads is for its owner to say.
    root = Path(os.path.abspath(data_dir))  # noqa: PTH100 - resolve() would follow links
    folder = Path(os.path.abspath(root / path))  # noqa: PTH100
    if ".." in Path(path).parts or root not in folder.parents or "\x00" in path:
        raise ConfigurationError(
            f"The store cannot keep its files at {path[:80]!r}, outside the data folder: name a"
            " folder inside it, such as 'index'"
        )
    return folder
