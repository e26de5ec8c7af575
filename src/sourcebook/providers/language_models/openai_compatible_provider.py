"""Declares any server that speaks OpenAI's language."""

from sourcebook.providers.declaring import Provider
from sourcebook.providers.language_models.endpoint_opening import open_endpoint, probe_endpoint
from sourcebook.providers.language_models.endpoint_settings import EndpointSettings

PROVIDER = Provider(settings=EndpointSettings, open=open_endpoint, probe=probe_endpoint)
