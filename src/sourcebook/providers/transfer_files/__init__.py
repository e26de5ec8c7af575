"""Files that documents are exported to and imported from: JSON lines and Parquet."""
