"""The contract of specification 003: documents that tools post, listed, read and searched."""
