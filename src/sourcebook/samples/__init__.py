"""A small robotics book to index, search and test against."""
