"""Prompts: what some models want before every query and every document."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompts:
    """The two that we need; empty for most models."""

    query: str = ""
    document: str = ""

    def overridden(self, query: str | None, document: str | None) -> "Prompts":
        """The same, but for those that are given."""
        return Prompts(
            query=self.query if query is None else query,
            document=self.document if document is None else document,
        )


def named_prompts(prompts: Mapping[str, object]) -> Prompts:
    """Pick ours from a model's prompts, by the names that sentence-transformers uses."""
    return Prompts(
        query=str(prompts.get("query") or ""),
        document=str(prompts.get("document") or prompts.get("passage") or ""),
    )
