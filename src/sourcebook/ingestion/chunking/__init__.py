"""Splits Markdown and plain text into chunks."""
