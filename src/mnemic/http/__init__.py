"""What every adapter that asks over HTTP shares."""
