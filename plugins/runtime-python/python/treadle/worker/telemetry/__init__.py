"""Spans and measurements of handlers, through OpenTelemetry's API where it is installed."""
