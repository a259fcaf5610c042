"""Integrations: Mnemic in the shape of other libraries."""
