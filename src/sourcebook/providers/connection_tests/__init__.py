"""Tests the settings of a provider by connecting once."""
