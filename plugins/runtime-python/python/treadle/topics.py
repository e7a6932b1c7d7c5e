"""Topics that carry the schema of their data."""

from __future__ import annotations

from typing import Any


class Topic:
    """A topic with the schema of its data, usable in ``queue()``, ``enqueues`` and ``ctx.enqueue``."""

    __slots__ = ("topic", "schema")

    def __init__(self, name: str, schema: Any) -> None:
        self.topic = name
        self.schema = schema

    def __str__(self) -> str:
        return self.topic

    def __repr__(self) -> str:
        return f"topic({self.topic!r})"


def topic(name: str, schema: Any) -> Topic:
    """Declares a topic and the schema of its data: JSON Schema as a dict, or a pydantic model."""
    return Topic(name, schema)


def topic_name(value: Any) -> str:
    """Name of a topic that is given by value or by name."""
    return value.topic if isinstance(value, Topic) else str(value)
