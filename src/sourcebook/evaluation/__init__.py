"""Measures search and answers against question sets: the metrics behind `sourcebook eval`."""
