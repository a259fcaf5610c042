"""Claims: what a text says of whom, and when two texts exclude one another."""
