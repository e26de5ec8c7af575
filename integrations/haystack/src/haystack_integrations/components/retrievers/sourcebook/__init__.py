"""A Haystack retriever for Sourcebook."""

from haystack_integrations.components.retrievers.sourcebook.retriever import SourcebookRetriever

__all__ = ["SourcebookRetriever"]
