"""The providers contract (spec 000): which there are, what they take, and whether they work."""
