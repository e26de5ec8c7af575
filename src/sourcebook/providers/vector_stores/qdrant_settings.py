"""What must be known to reach a Qdrant server or Qdrant Cloud."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

REST_PORT = 6333
GRPC_PORT = 6334
TIMEOUT_S = 10.0


def _server_url(value: str) -> str:
    """The URL with its port, without a slash at its end."""
    try:
        parts = urlsplit(value.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("is not a URL; use the form https://host:6333") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise ValueError("must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must hold no user or password; a key goes into api_key")
    if parts.query or parts.fragment:
        raise ValueError("must end with its path; leave out what follows ? or #")
    named = f"[{host}]" if ":" in host else host
    # As Qdrant's own clients do, also for https.
    return f"{parts.scheme}://{named}:{port or REST_PORT}{parts.path.rstrip('/')}"


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
        default=TIMEOUT_S,
        gt=0,
        le=300,
        title="Timeout",
        description="Seconds that one request may take",
    )
