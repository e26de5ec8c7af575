"""Language models: OpenAI-compatible servers, through the OpenAI Agents SDK."""
