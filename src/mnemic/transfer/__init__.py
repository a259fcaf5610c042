"""Import memories from elsewhere, and export them."""
