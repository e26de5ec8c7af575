"""Markdown cut into chunks: whole sections where they fit, whole blocks where they do not."""
