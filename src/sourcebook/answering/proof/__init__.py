"""Proves claims by strict alignment with the evidence. docs/decisions/0063 says what that means."""
