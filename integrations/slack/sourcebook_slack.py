"""Answers mentions of the app in Slack from a book, in a thread, with the sources under it."""

import asyncio
import os
import re
import uuid
from typing import Any

import httpx

# Sessions are UUIDs of version 4; a thread's is derived, so that it is found again.
THREADS = uuid.UUID("6f1d1f0e-5c0b-4f6b-9f0e-3a1f4b7a2c11")
TIMEOUT_S = 60.0
_MENTION = re.compile(r"<@[A-Z0-9]+>")
_SPECIAL = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def session_of(secret: str, channel: str, thread: str) -> str:
    """Return the session of a thread. It is a secret, so it is made with one."""
    digest = uuid.uuid5(THREADS, f"{secret}:{channel}:{thread}").bytes
    return str(uuid.UUID(bytes=digest, version=4))


def question_of(text: str) -> str:
    """Return what was asked, without the mention of the app."""
    return " ".join(_MENTION.sub(" ", text).split())


def message_of(reply: dict[str, Any], base_url: str) -> str:
    """Return an answer in Slack's markup, with a line for each source."""
    lines = [_escaped(reply["answer"])]
    for source in reply["sources"]:
        parts = (source["page_title"], source["section_heading"])
        title = " › ".join(dict.fromkeys(part for part in parts if part))
        url = source["source_url"]
        if not url.startswith(("http://", "https://")):
            url = f"{base_url.rstrip('/')}/#/read/{source['document_id']}"
        lines.append(f"[{source['number']}] <{url}|{_escaped(title)}>")
    return "\n".join(lines)


async def answer(http: httpx.AsyncClient, event: dict[str, Any], secret: str) -> str:
    """Ask the service; what went wrong is the answer if it fails."""
    thread = event.get("thread_ts") or event["ts"]
    body = {
        "query": question_of(event["text"])[:2_000] or "help",
        "session_id": session_of(secret, event["channel"], thread),
    }
    try:
        reply = await http.post("/chat", json=body)
        reply.raise_for_status()
    except httpx.HTTPStatusError as error:
        return _escaped(error.response.json().get("message", "The book cannot answer right now."))
    except httpx.HTTPError:
        return "The book cannot be reached right now; try again in a moment."
    return message_of(reply.json(), str(http.base_url))


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)


async def serve() -> None:
    """Listen to Slack in Socket Mode."""
    from slack_bolt.adapter.socket_mode.async_handler import (  # noqa: PLC0415 - the tests need none
        AsyncSocketModeHandler,
    )
    from slack_bolt.async_app import AsyncApp  # noqa: PLC0415

    token = os.environ["SLACK_BOT_TOKEN"]
    app = AsyncApp(token=token)
    url = os.environ.get("SOURCEBOOK_URL", "http://localhost:8000")
    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S) as http:

        @app.event("app_mention")
        async def mentioned(event: dict[str, Any], say: Any) -> None:
            thread = event.get("thread_ts") or event["ts"]
            await say(text=await answer(http, event, token), thread_ts=thread)

        await AsyncSocketModeHandler(app, os.environ["SLACK_APP_TOKEN"]).start_async()


def main() -> None:
    asyncio.run(serve())
