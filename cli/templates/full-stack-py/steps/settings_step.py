"""GET /settings tells the page where the streams are. Behind a proxy: STREAM_URL=wss://streams.example.com"""

import os
from typing import Any

from treadle import http, step

STREAM_URL = os.environ.get("STREAM_URL") or f"ws://127.0.0.1:{os.environ.get('STREAM_PORT', '3112')}"

SETTINGS = {
    "type": "object",
    "required": ["streamUrl"],
    "properties": {"streamUrl": {"type": "string"}},
}


@step({
    "name": "Settings",
    "description": "Tells the page where the streams are.",
    "triggers": [http("GET", "/settings", response_schema={200: SETTINGS})],
    "flows": ["tasks"],
})
async def settings() -> dict[str, Any]:
    return {"status": 200, "body": {"streamUrl": STREAM_URL}}
