"""Pages for people: the root and the API documentation, all served from here."""
