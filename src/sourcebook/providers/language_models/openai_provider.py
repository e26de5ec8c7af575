"""Declares OpenAI."""

from sourcebook.providers.declaring import Provider
from sourcebook.providers.language_models.endpoint_opening import open_endpoint, probe_endpoint
from sourcebook.providers.language_models.endpoint_settings import (
    BaseUrl,
    EndpointSettings,
    Key,
    ModelName,
)
from sourcebook.providers.language_models.known_endpoints import OPENAI_MODEL, OPENAI_URL


class OpenAiSettings(EndpointSettings):
    """The key is all that it needs."""

    api_key: Key
    model: ModelName = OPENAI_MODEL
    base_url: BaseUrl = OPENAI_URL


PROVIDER = Provider(settings=OpenAiSettings, open=open_endpoint, probe=probe_endpoint)
