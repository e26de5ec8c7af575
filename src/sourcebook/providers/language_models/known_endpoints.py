"""Where well-known language models are reached, and which of their models is a good start."""

GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta/openai/"
GEMINI_MODEL = "gemini-2.5-flash"
OPENAI_URL = "https://api.openai.com/v1/"
OPENAI_MODEL = "gpt-5.4-mini"
OLLAMA_URL = "http://127.0.0.1:11434"
