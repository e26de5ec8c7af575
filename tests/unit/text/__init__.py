"""How a text is read."""
