"""Declares Gemini, by its address of OpenAI's form."""

from sourcebook.providers.declaring import Provider
from sourcebook.providers.language_models.endpoint_opening import open_endpoint, probe_endpoint
from sourcebook.providers.language_models.endpoint_settings import (
    BaseUrl,
    EndpointSettings,
    Key,
    ModelName,
)
from sourcebook.providers.language_models.known_endpoints import GEMINI_MODEL, GEMINI_URL


class GeminiSettings(EndpointSettings):
    """The key is all that it needs."""

    api_key: Key
    model: ModelName = GEMINI_MODEL
    base_url: BaseUrl = GEMINI_URL


PROVIDER = Provider(settings=GeminiSettings, open=open_endpoint, probe=probe_endpoint)
