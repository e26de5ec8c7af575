"""`make docs-check`: runs every command block of the documentation and compares its output."""
