import { randomFillSync } from 'node:crypto';

const DIGITS = 16;
const POOL = Buffer.allocUnsafeSlow(2048);
let hex = '';
let offset = 0;

/** A fresh span id, 16 hex digits, from a pool that one call fills for 256 of them. */
export function newSpanId(): string {
  if (offset === hex.length) {
    hex = randomFillSync(POOL).toString('hex');
    offset = 0;
  }
  offset += DIGITS;
  return hex.slice(offset - DIGITS, offset);
}
