import { randomFillSync } from 'node:crypto';

const HEX_TRACE = 32;
const HEX_SPAN = 16;
const POOL = Buffer.allocUnsafeSlow(3840);
let hex = '';
let offset = 0;

/** Random hex digits from a pool that is filled in one call for some 160 requests: a call each costs microseconds. */
function take(digits: number): string {
  if (offset + digits > hex.length) {
    hex = randomFillSync(POOL).toString('hex');
    offset = 0;
  }
  offset += digits;
  return hex.slice(offset - digits, offset);
}

/** A fresh trace id: 32 hex digits. */
export function newTraceId(): string {
  return take(HEX_TRACE);
}

/** A fresh span id: 16 hex digits. */
export function newSpanId(): string {
  return take(HEX_SPAN);
}

export interface TraceParent {
  readonly traceId: string;
  readonly parentId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_LENGTH = 512;
const NO_TRACE = '0'.repeat(HEX_TRACE);
const NO_SPAN = '0'.repeat(HEX_SPAN);

/**
 * Reads a `traceparent` header; undefined when it is not usable, which starts a trace of our own.
 * @source W3C Trace Context, section 3.2
 */
export function parseTraceParent(header: string): TraceParent | undefined {
  if (header.length > MAX_LENGTH) return undefined;
  const match = TRACEPARENT.exec(header);
  if (!match) return undefined;
  const [, version, traceId = '', parentId = '', flags = '', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (traceId === NO_TRACE || parentId === NO_SPAN) return undefined;
  return { traceId, parentId, sampled: (parseInt(flags, 16) & 1) === 1 };
}
