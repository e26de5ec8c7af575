"""The book contract (002): search a book, read on from a hit, and keep its index up to date."""
