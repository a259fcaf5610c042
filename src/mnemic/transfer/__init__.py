"""Bringing memories in from elsewhere, and out again."""
