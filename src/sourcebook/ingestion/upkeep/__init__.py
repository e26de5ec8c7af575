"""Cleans up, verifies, repairs and rebuilds the index."""
