"""Rerankers: `*_provider.py` files declare them, and name the function that opens each."""
