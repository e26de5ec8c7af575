"""The measurements, one per file; each returns rows for the table."""
