"""The embedded index: a mirror of the ledger's chunks in memory."""
