"""Contract suites that anybody's provider can inherit. Needs pytest and Hypothesis."""
