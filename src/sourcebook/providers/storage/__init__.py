"""SQL storage, in SQLite or Postgres: the ledger and the conversations."""
