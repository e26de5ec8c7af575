"""Language models that write answers: OpenAI-compatible servers, through the OpenAI Agents SDK."""
