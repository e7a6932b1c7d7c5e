"""JSON Schema 2020-12 as the engine reads it, for tests without an engine."""
