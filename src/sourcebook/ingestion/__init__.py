"""Stores documents as linked chunks, keeps books indexed, and looks after the index."""
