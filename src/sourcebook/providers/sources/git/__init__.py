"""A book in a git repository, fetched with dulwich: no git program is run."""
