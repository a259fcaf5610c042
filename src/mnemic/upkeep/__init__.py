"""Upkeep: what keeps memories true, small and strong."""
