"""The providers contract (spec 000): list providers, describe their settings, test them."""
