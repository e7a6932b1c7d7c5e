"""What the Steps of greetings say to each other."""

from typing import TypedDict

from treadle import topic


class Greeted(TypedDict):
    name: str


#: Somebody was greeted. The schema is checked where the message is sent and where it arrives.
greeted = topic("greeted", {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}},
})
