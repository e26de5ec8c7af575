"""The book contract (spec 002): search a book, read on from a hit, keep the index up to date."""
