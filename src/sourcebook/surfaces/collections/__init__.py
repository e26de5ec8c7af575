"""The collections contract (specs 000 and 001): collections, documents, query and rerank."""
