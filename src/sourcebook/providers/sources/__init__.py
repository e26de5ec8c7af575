"""Sources of a book's files: a folder, or a git repository."""
