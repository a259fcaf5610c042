"""Learning: what in a conversation is worth keeping."""
