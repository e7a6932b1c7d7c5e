"""Stands in for opentelemetry-api 1.x where it cannot be installed: the same names, signatures and rules, and nothing else."""
