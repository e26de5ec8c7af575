"""Lexical search: the terms of a text and their BM25 weights."""
