"""The HTTP API: one folder for each contract. Surfaces translate; use cases decide.

Each folder has `routes`, `schemas` (what is sent and received), `results` (use cases' values to
schemas) and `errors` (the contract's dialect), and `parsing` or `filters` (schemas to values) if
that is more than a line. A second group of routes has the same files under its name, such as
`reindex_routes` and `reindex_schemas`. `health`, `web` and `mcp` use the default dialect.
"""
