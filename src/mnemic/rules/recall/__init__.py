"""Recall: parsing a query, ranking and calibrating its candidates, and giving reasons."""
