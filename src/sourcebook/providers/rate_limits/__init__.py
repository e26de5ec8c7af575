"""Rate limits that several processes share."""
