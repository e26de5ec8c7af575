"""Runs models on this machine: what the local embedders and rerankers share."""
