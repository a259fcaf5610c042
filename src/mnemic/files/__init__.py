"""Files that are the truth, and memories that are derived from them."""
