/** Codes with which the server closes a connection. @source RFC 6455, section 7.4 */
export const CLOSE = {
  /** Binary messages. */
  unsupported: 1003,
  /** More messages than allowed. */
  policy: 1008,
  /** The engine stops, or wants to know who is there: connect again. */
  restart: 1012,
  /** Nobody could decide on a join in time. */
  tryAgain: 1013,
  slowReader: 4008,
  /** Somebody who runs the engine wants it so. */
  byOperator: 4009,
} as const;
