"""Text in, linked chunks stored: writing, clearing away, rebuilding and checking the index."""
