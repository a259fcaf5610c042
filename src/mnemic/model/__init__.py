"""Values: what a memory is, whose it is, which ones are meant, and what is found. No I/O, no clock."""
