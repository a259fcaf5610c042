"""Values: memories, scopes, filters, hits and changes. No I/O, no clock."""
