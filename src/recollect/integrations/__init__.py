"""Integrations: Recollect in the shape of other libraries."""
