"""Stores documents that clients post, one at a time or in large batches."""
