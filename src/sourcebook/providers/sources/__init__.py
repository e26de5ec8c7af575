"""Sources: where the files of a book come from, one kind of place per file."""
