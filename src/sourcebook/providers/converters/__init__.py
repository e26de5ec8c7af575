"""Converters: each turns files of one format into markdown."""
