"""Answers questions about providers: which there are, whether settings work, how they are doing."""
