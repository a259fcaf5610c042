"""What all adapters that send HTTP requests share."""
