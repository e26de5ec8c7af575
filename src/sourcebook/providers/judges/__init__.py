"""Judges: models that say how likely a premise bears a claim."""
