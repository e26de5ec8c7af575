"""Find and read: collections, documents by metadata, and the nearest chunks."""
