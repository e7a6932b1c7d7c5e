"""Limits of the worker protocol; see docs/worker-protocol.md."""

PROTOCOL_VERSION = 1
#: Largest body that travels inside a message; larger ones travel as a stream. Bytes.
MAX_INLINE_BODY_BYTES = 256 * 1024
#: Most bytes in one chunk, before base64.
CHUNK_BYTES = 64 * 1024
#: Chunks that may be under way in a stream; also when it begins, unless ``welcome`` says otherwise.
INITIAL_CREDITS = 16
#: Bodies that were only too large for a message and wait here for the engine to fetch them. Bytes.
MAX_WAITING_BODY_BYTES = 256 * 1024 * 1024
#: A frame is cut so that it does not exceed this, unless a single message does. Bytes.
FRAME_TARGET_BYTES = 1024 * 1024
#: A larger frame ends the connection. Bytes.
MAX_FRAME_BYTES = 16 * 1024 * 1024
#: Most findings in one ``validation_failed``.
MAX_ISSUES = 20
#: Close codes.
CLOSE_NORMAL = 1000
CLOSE_PROTOCOL_VERSION = 4002
CLOSE_BAD_MESSAGE = 4004
