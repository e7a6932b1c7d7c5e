"""Pictures without packages: reads PPM (P6), writes PNG."""

from __future__ import annotations

import re
import struct
import zlib

#: Width, height, and rows of red, green and blue bytes.
Picture = tuple[int, int, list[bytes]]


def read_ppm(content: bytes) -> Picture:
    """Raises ValueError for anything but a whole P6 picture with 8 bits per colour."""
    head = re.match(rb"P6\s+(\d{1,5})\s+(\d{1,5})\s+255\s", content)
    if head is None:
        raise ValueError("not a PPM picture (P6, 8 bits)")
    width, height = int(head[1]), int(head[2])
    pixels = content[head.end():]
    if width * height == 0 or len(pixels) < width * height * 3:
        raise ValueError("the picture is cut off")
    return width, height, [pixels[row * width * 3:(row + 1) * width * 3] for row in range(height)]


def shrink(picture: Picture, longest: int) -> Picture:
    """At most so many pixels wide and high; takes the nearest pixel."""
    width, height, rows = picture
    scale = max(width, height, longest) / longest
    wide, high = max(1, int(width / scale)), max(1, int(height / scale))
    columns = [int(x * width / wide) * 3 for x in range(wide)]
    return wide, high, [b"".join(rows[int(y * height / high)][x:x + 3] for x in columns) for y in range(high)]


def write_png(picture: Picture) -> bytes:
    width, height, rows = picture

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b"")
