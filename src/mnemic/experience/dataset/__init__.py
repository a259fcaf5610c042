"""Datasets of experiences: generate, validate, read and load them."""
