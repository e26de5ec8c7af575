"""Pages for people: the reading room and the API documentation, all served from here."""
