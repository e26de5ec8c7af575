"""Vector stores: where the points of an index are kept and searched."""
