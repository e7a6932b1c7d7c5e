"""State, streams and queue in memory, as the engine's modules behave."""
