"""Recall: reading a question, ranking what was found, and saying why."""
