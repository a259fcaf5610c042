"""Measure what a memory finds: datasets, metrics, systems, and a report that prints them side by side."""
