"""The ledger in SQL: collections, documents, chunks, cached embeddings and jobs."""
