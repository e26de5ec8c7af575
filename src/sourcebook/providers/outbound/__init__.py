"""The way to other people's servers: where it may lead, and how they are spoken to."""
