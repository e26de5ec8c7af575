"""Readers: small models that read a question together with passages."""
