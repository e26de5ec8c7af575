"""Chroma, embedded or as a server, as our own store and as a source of adopted collections."""
