"""Grounded answers: every sentence is checked against the evidence and cites it."""
