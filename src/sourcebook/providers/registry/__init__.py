"""Which providers are installed, what is told of them, and how their settings are read."""
