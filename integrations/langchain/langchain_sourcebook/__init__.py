"""A LangChain retriever for Sourcebook."""

from langchain_sourcebook.retriever import SourcebookRetriever

__all__ = ["SourcebookRetriever"]
