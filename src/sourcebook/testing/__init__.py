"""Contract suites that every provider inherits, also third-party ones; needs pytest, Hypothesis."""
