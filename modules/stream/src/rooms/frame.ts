const TEXT = 0x81;
/** Largest payload whose length fits the first form, and the second. */
const SHORT = 125;
const MEDIUM = 0xffff;

/** A WebSocket text frame of the server: not masked, not compressed. @source RFC 6455, section 5.2 */
export function textFrame(text: string): Buffer {
  return joinedFrame(Buffer.from(text), '');
}

/** A text frame of bytes that many frames share and text that is this one's own. */
export function joinedFrame(shared: Buffer, own: string): Buffer {
  const length = shared.length + Buffer.byteLength(own);
  const head = headLength(length);
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = TEXT;
  if (length <= SHORT) frame[1] = length;
  else if (length <= MEDIUM) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  shared.copy(frame, head);
  if (own !== '') frame.write(own, head + shared.length);
  return frame;
}

function headLength(length: number): number {
  if (length <= SHORT) return 2;
  return length <= MEDIUM ? 4 : 10;
}
