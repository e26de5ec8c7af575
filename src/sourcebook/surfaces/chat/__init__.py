"""The chat contract (spec 004): answers with checked citations, streamed or at once."""
