"""The measurements, one a file; each gives rows for the table."""
