"""Gathers the events of an answer into the whole answer."""
