"""Websites as sources of books: which pages there are, and their text."""
