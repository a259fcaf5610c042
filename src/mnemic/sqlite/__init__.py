"""What every SQLite file of ours needs: opening, locking, errors, long lists of parameters."""
