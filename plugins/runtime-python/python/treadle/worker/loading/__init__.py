"""Loading Step files."""
