"""Embedders: each `*_provider.py` declares one, and the module of the same name runs it."""
