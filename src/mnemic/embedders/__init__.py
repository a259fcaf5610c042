"""Embedders: models that turn text into vectors."""
