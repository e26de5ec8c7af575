"""How Ollama names its models, and which of them it has."""

from sourcebook.core.metadata import JsonValue


def full_name(model: str) -> str:
    """The name with its tag."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def model_digests(reply: JsonValue) -> dict[str, str]:
    """The digests of the models that `GET /api/tags` lists, by full name; empty if unknown."""
    listed = reply.get("models") if isinstance(reply, dict) else None
    found: dict[str, str] = {}
    for entry in listed if isinstance(listed, list) else ():
        name = entry.get("name") or entry.get("model") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and isinstance(name, str):
            found[full_name(name)] = str(entry.get("digest") or "")
    return found


def missing(model: str) -> str:
    """What to do about a model that is not there."""
    return f"has no model {model!r}: run `ollama pull {model}`"
