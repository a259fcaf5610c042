"""Datasets of experiences: generated, validated, read and loaded."""
