"""Keeps a book (a folder of Markdown lessons) indexed."""
