"""Evaluation of recall: datasets, metrics, systems and reports."""
