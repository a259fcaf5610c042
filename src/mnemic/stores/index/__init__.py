"""The derived index: postings, vectors and columns in memory, built from a store's changes."""
