"""A Qdrant server or Qdrant Cloud, as our own store and as a source of adopted collections."""
