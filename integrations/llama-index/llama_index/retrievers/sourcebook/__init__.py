"""A LlamaIndex retriever for Sourcebook."""

from llama_index.retrievers.sourcebook.base import SourcebookRetriever

__all__ = ["SourcebookRetriever"]
