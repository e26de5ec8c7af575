"""The command line: it parses, prints and chooses exit codes; the service does the work."""
