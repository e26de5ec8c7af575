"""`python -m sourcebook` is the same as `sourcebook`."""

from sourcebook.cli.main import main

main()
