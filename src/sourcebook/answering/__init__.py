"""Grounded answers: every sentence stands on a passage, checked by code."""
