"""Sourcebook answers questions from your documents and shows where each answer comes from."""

from importlib.metadata import version

__version__ = version("sourcebook")
