"""Proves claims by strict alignment with the evidence. docs/decisions/0037 says what that means."""
