"""Search: collections, documents by metadata, and the nearest chunks."""
