"""Backups: an installation in one archive, taken while it serves, and restored elsewhere."""
