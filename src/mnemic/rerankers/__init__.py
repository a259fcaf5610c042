"""What judges how well texts answer a query."""
