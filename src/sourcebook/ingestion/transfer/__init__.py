"""Moves documents in and out, whole: to files and from files, and from other tools' stores."""
