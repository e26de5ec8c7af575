"""Who asks over HTTP: one folder for each published contract. Surfaces translate, only."""
