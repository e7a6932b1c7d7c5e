"""Bodies on their way to a handler."""

from __future__ import annotations

import base64
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any

from treadle.inputs import UploadedFile

from ..wire.streams import StreamReceiver
from .failure import RunError


def placed_body(body: Any) -> Any:
    """Value of a body that came with the message."""
    if body is None:
        return None
    return base64.b64decode(body["value"]) if body["kind"] == "base64" else body["value"]


def is_stream(body: Any) -> bool:
    """True for a body that has to be read from a stream first."""
    return body is not None and body["kind"] == "stream"


async def streamed_body(body: Any, streams: Sequence[StreamReceiver]) -> Any:
    """Reads a body that follows in chunks. :raises RunError: ``invalid_json``"""
    content = await _stream_at(streams, body["stream"]).collect()
    if body["as"] == "bytes":
        return content
    text = content.decode("utf-8", "replace")
    if body["as"] == "text":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError("invalid_json", str(error) or "the body is not JSON") from None


class ReceivedFiles:
    """Files of a multipart body. Those that come as streams are written to a temporary folder, one after the other."""

    def __init__(self) -> None:
        self.files: list[UploadedFile] = []
        self._folder: str | None = None

    async def receive(self, files: Sequence[dict[str, Any]], streams: Sequence[StreamReceiver]) -> None:
        """Takes all files in."""
        for index, file in enumerate(files):
            body = file["body"]
            if not is_stream(body):
                content = placed_body(body)
                self.files.append(UploadedFile(file, content=content if isinstance(content, bytes) else str(content).encode()))
                continue
            path = os.path.join(self._temporary(), str(index))
            await _spool(_stream_at(streams, body["stream"]), path)
            self.files.append(UploadedFile(file, path=path))

    def remove(self) -> None:
        """Removes the temporary folder. What cannot be removed is left to the system, which cleans its folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _temporary(self) -> str:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="treadle-upload-")
        return self._folder


async def _spool(source: StreamReceiver, path: str) -> None:
    with open(path, "wb") as target:
        while piece := await source.read():
            target.write(piece)


def _stream_at(streams: Sequence[StreamReceiver], index: int) -> StreamReceiver:
    if index >= len(streams):
        raise RuntimeError(f"the request refers to stream {index}, which did not come with it")
    return streams[index]
