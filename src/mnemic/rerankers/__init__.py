"""Rerankers: models that score how well texts answer a query."""
