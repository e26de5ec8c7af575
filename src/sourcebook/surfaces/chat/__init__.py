"""The contract of specification 004: chat with checked citations."""
