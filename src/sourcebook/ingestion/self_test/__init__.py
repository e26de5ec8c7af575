"""Tests a book after a run: can its lessons still be found?"""
