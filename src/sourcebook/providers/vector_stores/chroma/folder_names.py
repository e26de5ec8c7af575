"""Names the collections in a Chroma folder, without Chroma's library."""

import sqlite3
from contextlib import closing
from pathlib import Path

DATABASE = "chroma.sqlite3"


def collections_in_folder(folder: Path) -> list[str] | None:
    """Return the names of the collections; None if there is no Chroma that can be read."""
    database = folder.expanduser() / DATABASE
    try:
        uri = f"{database.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            found = connection.execute("SELECT name FROM collections ORDER BY name").fetchall()
    except sqlite3.Error:
        return None
    return [str(name) for (name,) in found]
