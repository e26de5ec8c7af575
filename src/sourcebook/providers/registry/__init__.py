"""The installed providers: their cards, their schemas, and the validation of their settings."""
