"""Trying settings out: connecting once, and what may be said of how it went."""
