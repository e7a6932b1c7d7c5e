"""Running handlers."""
