"""The Qdrant engine embedded in this process."""
