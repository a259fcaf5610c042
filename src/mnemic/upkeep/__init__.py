"""Upkeep: merging, updating, summarising and pruning memories, and learning new ones from messages."""
