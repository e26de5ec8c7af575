"""The ledger in SQL: SQLite in the data folder, written so that Postgres fits as well."""
