"""Puts concrete classes together: which provider plays which role, and which use case gets what."""
