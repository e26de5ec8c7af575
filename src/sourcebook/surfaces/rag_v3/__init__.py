"""The RAG contract (spec 003): post, list, read and search documents, and chat about them."""
