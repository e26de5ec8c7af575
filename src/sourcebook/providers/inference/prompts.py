"""Prompts: the text that some models expect before every query and every document."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of a model; empty for most."""

    query: str = ""
    document: str = ""

    def overridden(self, query: str | None, document: str | None) -> "Prompts":
        """Return the same prompts, with those that are given in their place."""
        return Prompts(
            query=self.query if query is None else query,
            document=self.document if document is None else document,
        )


def named_prompts(prompts: Mapping[str, object]) -> Prompts:
    """Read a model's prompts by the names that sentence-transformers uses."""
    return Prompts(
        query=str(prompts.get("query") or ""),
        document=str(prompts.get("document") or prompts.get("passage") or ""),
    )
