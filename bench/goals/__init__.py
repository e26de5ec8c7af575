"""The goals for search and follow-ups, measured on public sets and on terms of our own."""
