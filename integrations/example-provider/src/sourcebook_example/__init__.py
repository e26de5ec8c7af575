"""An example of providers for Sourcebook: an embedder and a vector store."""
