"""The settings that language models share: every one is an endpoint of OpenAI's form."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.language_models.endpoint import Endpoint, parse_base_url, parse_key


def _parsed_key(key: SecretStr) -> SecretStr:
    parsed = parse_key(key.get_secret_value(), "api_key")
    if parsed is None:
        raise ConfigurationError("api_key is empty: give a key, or leave it out")
    return SecretStr(parsed)


BaseUrl = Annotated[
    str,
    AfterValidator(lambda url: parse_base_url(url, "base_url")),
    Field(
        title="Base URL",
        description="Where the server speaks OpenAI's language.",
        json_schema_extra={"format": "uri", "placeholder": "https://host/v1"},
    ),
]
Key = Annotated[
    SecretStr,
    AfterValidator(_parsed_key),
    Field(description="It is sent to this server alone."),
]
ModelName = Annotated[
    str, Field(min_length=1, title="Model", description="The model's name at the server.")
]


class EndpointSettings(BaseModel):
    """Which model at which address, and the key if it needs one."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    base_url: BaseUrl
    model: ModelName
    api_key: Key | None = Field(None, description="If the server asks for one.")

    def endpoint(self) -> Endpoint:
        """Where the model is reached."""
        key = None if self.api_key is None else self.api_key.get_secret_value()
        return Endpoint(self.base_url, self.model, key)
