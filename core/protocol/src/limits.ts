/** Version of the protocol that this package describes. */
export const PROTOCOL_VERSION = 1;

/** Largest body that travels inside a message, in bytes; larger ones travel as a stream. */
export const MAX_INLINE_BODY_BYTES = 256 * 1024;

/** Most bytes in one `chunk`, before base64. */
export const CHUNK_BYTES = 64 * 1024;

/** Chunks that may be under way in a stream; also when it begins, unless `welcome` says otherwise. */
export const INITIAL_CREDITS = 16;

/** Chunks that may be under way when a worker's stream begins, as `welcome` says: whether anybody reads it shows only then. */
export const FIRST_CHUNKS = 2;

/** Chunks that all streams of a connection share; beyond it each has as few as `FIRST_CHUNKS` under way. */
export const SHARED_CHUNKS = 512;

/** Bodies that were only too large for a message and wait in a worker for the engine to fetch them; in bytes. */
export const MAX_WAITING_BODY_BYTES = 256 * 1024 * 1024;

/** A frame is cut so that it does not exceed this many bytes, unless a single message does. */
export const FRAME_TARGET_BYTES = 1024 * 1024;

/** A frame larger than this closes the connection with `CLOSE.frameTooLarge`; in bytes. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** Interval of `alive` messages, in milliseconds. */
export const HEARTBEAT_MS = 5_000;

/** A worker that was silent, or whose event loop was blocked, for this long counts as dead; in milliseconds. */
export const DEAD_AFTER_MS = 15_000;

/** Time to send `hello` in after the connection opened, in milliseconds. */
export const HELLO_TIMEOUT_MS = 5_000;

/** Most findings in one `validation_failed`. */
export const MAX_ISSUES = 20;

/** Most members of objects and elements of arrays in a stored value, at all levels together; the Step process and the engine refuse more. */
export const MAX_VALUE_PARTS = 100_000;

/** Most different keys of all objects in a stored value together, and in all messages of a batch together. */
export const MAX_VALUE_KEYS = 20_000;

/** Most members of objects and elements of arrays in all messages of a batch together. */
export const MAX_BATCH_PARTS = 200_000;

/** WebSocket close codes. */
export const CLOSE = {
  /** All is said; also after `drain`. */
  normal: 1000,
  /** The peer leaves, or its session has ended. */
  goingAway: 1001,
  badToken: 4001,
  protocolVersion: 4002,
  helloTimeout: 4003,
  badMessage: 4004,
  frameTooLarge: 4009,
} as const;
