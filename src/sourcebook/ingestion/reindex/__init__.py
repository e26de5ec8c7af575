"""Moves a collection to another embedding model without interrupting its readers."""
