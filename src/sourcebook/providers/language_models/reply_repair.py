"""Repairs what models and servers get wrong and the SDK or the next request would fail on."""

import json
from collections.abc import Iterable
from uuid import uuid4

from openai.types.responses import ResponseFunctionToolCall


def repair_tool_calls(items: Iterable[object], known_ids: set[str]) -> None:
    """Give each tool call an id of its own, and arguments that are a JSON object."""
    for item in items:
        if isinstance(item, ResponseFunctionToolCall):
            if not item.call_id or item.call_id in known_ids:
                # Nine letters and digits: some servers take nothing else.
                item.call_id = uuid4().hex[:9]
            known_ids.add(item.call_id)
            item.arguments = json_object(item.arguments)


def json_object(text: str) -> str:
    """Return the first JSON object in the text; an empty one if there is none.

    Servers that number parallel calls alike make one call of them, with several objects.
    """
    try:
        found, _ = json.JSONDecoder().raw_decode(text.strip())
        if isinstance(found, dict):
            return replace_surrogates(json.dumps(found, ensure_ascii=False, allow_nan=False))
    except (ValueError, RecursionError):
        pass
    return "{}"


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
