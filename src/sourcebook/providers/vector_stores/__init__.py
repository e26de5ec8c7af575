"""Vector stores: where the points of an index live and how they are searched."""
