"""Rerankers: one way to run a cross-encoder per file."""
