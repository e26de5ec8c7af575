"""Declares Ollama, by its address of OpenAI's form."""

from sourcebook.providers.declaring import Provider
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.endpoint_opening import open_endpoint, probe_endpoint
from sourcebook.providers.language_models.endpoint_settings import BaseUrl, EndpointSettings
from sourcebook.providers.language_models.known_endpoints import OLLAMA_URL


class OllamaSettings(EndpointSettings):
    """Which of its models; by default where Ollama itself listens."""

    base_url: BaseUrl = OLLAMA_URL

    def endpoint(self) -> Endpoint:
        """Below /v1 Ollama speaks OpenAI's language."""
        url = self.base_url if self.base_url.endswith("/v1/") else f"{self.base_url}v1/"
        return Endpoint(url, self.model, super().endpoint().api_key)


PROVIDER = Provider(settings=OllamaSettings, open=open_endpoint, probe=probe_endpoint)
