"""Claims: the facts that a text states, and when two texts exclude one another."""
