"""What `sourcebook providers` does. Imports the service, so it loads it only when it runs."""

import asyncio
import json
import os
import sys
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import TypeVar

from rich.table import Table
from rich.text import Text

from sourcebook.cli.terminal import counted, err, harmless, out
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import (
    ConnectionField,
    ConnectionTest,
    Kind,
    ProviderCard,
    ProviderDirectory,
)
from sourcebook.service.logging import set_up_logging
from sourcebook.service.provider_directory import operator_directory

T = TypeVar("T")

SHOWN_COLLECTIONS = 20
OURS = "sourcebook"


def show_all(kind: Kind | None, *, as_json: bool) -> None:
    """Print the cards of all providers."""
    cards = [card for card in _directory().cards() if kind in {None, card.kind}]
    if as_json:
        print(json.dumps({"providers": [_told(card) for card in cards]}, ensure_ascii=False))
        return
    table = Table(box=None)
    for heading in ("kind", "id", "state"):
        table.add_column(heading, no_wrap=True, overflow="fold")
    # On a narrow terminal the words are broken up, and nothing is cut.
    table.add_column("what it is", overflow="fold")
    for card in cards:
        table.add_row(card.kind, harmless(card.id), _state(card), harmless(_described(card)))
    out.print(table)
    _show_notes(cards)


def show_schema(provider_id: str, kind: Kind | None, *, as_json: bool) -> None:
    """Print the settings of a provider."""
    schema = _asked(_directory().schema(provider_id, kind))
    card = schema.card
    if as_json:
        told = {
            "provider": card.id,
            "kind": card.kind,
            "display_name": card.display_name,
            "description": card.description,
            "fields": [
                {**_given(asdict(field)), "default": field.default} for field in schema.fields
            ],
            "capabilities": card.capabilities,
            "json_schema": schema.json_schema,
        }
        print(json.dumps(told, ensure_ascii=False))
        return
    out.print(Text(f"{harmless(card.display_name)} ({card.kind} {harmless(card.id)})", "bold"))
    out.print(harmless(card.description))
    if not schema.fields:
        out.print("There is nothing to set.")
        return
    table = Table("setting", "type", "", "description", box=None)
    for field in schema.fields:
        table.add_row(field.name, field.type, _need(field), harmless(field.description))
    out.print(table)


def try_out(
    provider_id: str, kind: Kind | None, config: Mapping[str, JsonValue], *, as_json: bool
) -> bool:
    """Try settings out and print how it went; False if it failed."""
    report = _asked(_directory().test(provider_id, config, kind))
    if as_json:
        print(json.dumps(_given(asdict(report)), ensure_ascii=False))
    elif report.success:
        _show_success(report)
    else:
        reason = harmless(report.error or "no reason was given")
        err.print(Text(f"{report.provider}: {report.error_type}. {reason}", style="red"))
    return report.success


def _directory() -> ProviderDirectory:
    set_up_logging("error", "auto")
    return operator_directory(os.environ)


def _asked(question: Coroutine[object, object, T]) -> T:
    # Other people's code may print; what we print must stay ours alone, for whoever parses it.
    with redirect_stdout(sys.stderr):
        return asyncio.run(question)


def _show_success(report: ConnectionTest) -> None:
    seconds = f"{report.duration_ms / 1000:.1f} s"
    out.print(Text(f"{report.provider}: connected in {seconds}", style="green"))
    for name, value in report.details.items():
        out.print(f"  {harmless(name)}: {harmless(str(value))}")
    names = report.collections
    if names is not None:
        count = len(names) if report.collection_count is None else report.collection_count
        shown = ", ".join(harmless(name) for name in names[:SHOWN_COLLECTIONS])
        more = " …" if count > len(names[:SHOWN_COLLECTIONS]) else ""
        out.print(f"  {counted(count, 'collection')}{': ' if shown else ''}{shown}{more}")


def _described(card: ProviderCard) -> str:
    """What it is, and for those of other people whose it is."""
    if card.package == OURS:
        return card.description
    return f"{card.description} ({card.package} {card.version})"


def _state(card: ProviderCard) -> Text:
    if card.problem is not None:
        return Text("broken", style="red")
    return Text("installed") if card.installed else Text("missing", style="yellow")


def _show_notes(cards: Sequence[ProviderCard]) -> None:
    """What to do about those that cannot be used, on lines that can be copied."""
    commands = dict.fromkeys(card.install for card in cards if card.install is not None)
    if commands:
        out.print("\nTo install what is missing:")
    for command in commands:
        out.print(f"  {harmless(command)}")
    for card in cards:
        if card.problem is not None:
            err.print(Text(f"{card.kind} {harmless(card.id)}: {harmless(card.problem)}", "red"))


def _need(field: ConnectionField) -> str:
    if field.required:
        return "required"
    return "" if field.default is None else f"default {harmless(str(field.default))}"


def _told(card: ProviderCard) -> dict[str, object]:
    return _given({**asdict(card), "install": card.install})


def _given(told: Mapping[str, object]) -> dict[str, object]:
    """What there is to tell: nothing that is None."""
    return {name: value for name, value in told.items() if value is not None}
