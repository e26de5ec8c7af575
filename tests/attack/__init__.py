"""Hostile clients, models, files and servers: each of these once got through."""
