"""The exit codes of every command; docs/command-line.md has them as a table.

A command that does something exits with FAILED if it could not be done. One that answers a question
(`ask`, `search`, `verify`) exits with NO if that is the answer, and with NOT_KNOWN if it could not
find out, as `grep` and `diff` do.
"""

from typing import Final

DONE: Final = 0
FAILED: Final = 1
NO: Final = 1
PART_FAILED: Final = 2
NOT_KNOWN: Final = 2
# Typer's own, for arguments that cannot be used.
USAGE: Final = 2
# Typer's own, for Ctrl+C: 128 and the number of the signal.
INTERRUPTED: Final = 130
