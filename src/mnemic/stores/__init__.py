"""Stores: where memories are kept on disk."""
