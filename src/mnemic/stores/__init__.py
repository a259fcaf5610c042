"""Places where memories are kept."""
