"""Settings and files of an operator: where they are, what they say, whether they are valid."""
