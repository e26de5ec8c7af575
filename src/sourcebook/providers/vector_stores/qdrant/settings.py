"""The settings of a Qdrant server or Qdrant Cloud."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from sourcebook.providers.outbound.server_urls import LENIENT, check_server_url

REST_PORT = 6333
GRPC_PORT = 6334
DEFAULT_TIMEOUT_S = 10.0


def _server_url(value: str) -> str:
    """Return the URL with its port, without a trailing slash."""
    parts = urlsplit(
        check_server_url(
            value,
            form="https://host:6333",
            query="must end with its path; leave out what follows ? or #",
            ignored=LENIENT,
        )
    )
    host = str(parts.hostname)
    named = f"[{host}]" if ":" in host else host
    # As Qdrant's own clients do, also for https.
    return f"{parts.scheme}://{named}:{parts.port or REST_PORT}{parts.path.rstrip('/')}"


class QdrantSettings(BaseModel):
    """How to reach a Qdrant server."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)

    url: Annotated[str, AfterValidator(_server_url)] = Field(
        title="URL",
        description="The server's address; port 6333 unless it names another",
        examples=["https://example.cloud.qdrant.io:6333"],
        json_schema_extra={"format": "uri"},
    )
    api_key: SecretStr | None = Field(
        default=None,
        title="API key",
        description="Qdrant Cloud needs one; a server of your own may",
    )
    grpc: bool = Field(
        default=False,
        title="Use gRPC",
        description="Faster for loading much; needs the gRPC port too",
    )
    grpc_port: int = Field(
        default=GRPC_PORT,
        ge=1,
        le=65_535,
        title="gRPC port",
        description="Where the server speaks gRPC, on the host of the URL",
    )
    timeout_s: float = Field(
        default=DEFAULT_TIMEOUT_S,
        gt=0,
        le=300,
        title="Timeout",
        description="Seconds that one request may take",
    )
