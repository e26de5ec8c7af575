"""Embedders: one way to run an embedding model per file."""
