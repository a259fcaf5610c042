"""The derived index: postings, sign planes and columns, built from a store's changes."""
