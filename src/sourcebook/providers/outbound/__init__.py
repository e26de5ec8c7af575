"""Connections to other servers: which addresses are allowed, and the clients that keep to them."""
