"""The core: what the verbs of a mind are made of."""
