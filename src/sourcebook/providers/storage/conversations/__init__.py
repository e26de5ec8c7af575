"""Conversations in SQL, which the service can do without."""
