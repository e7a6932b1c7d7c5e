import { randomFillSync } from 'node:crypto';

const HEX_TRACE = 32;
const HEX_SPAN = 16;
const POOL = Buffer.allocUnsafeSlow(3840);
/** Bytes whose digits are one string: V8 keeps the whole string alive as long as one id that was cut from it. */
const PIECE = 128;
let hex = '';
let offset = 0;
let nextPiece = POOL.length;

/** Trace id of what belongs to no trace. */
export const NO_TRACE: string = '0'.repeat(HEX_TRACE);
/** Span id of what belongs to no span; as the cause of something: nothing caused it. */
export const NO_SPAN: string = '0'.repeat(HEX_SPAN);

/** Random hex digits from a pool that is filled in one call for some 160 requests: a call each costs microseconds. */
function take(digits: number): string {
  if (offset + digits > hex.length) cutPiece();
  offset += digits;
  return hex.slice(offset - digits, offset);
}

function cutPiece(): void {
  if (nextPiece === POOL.length) {
    randomFillSync(POOL);
    nextPiece = 0;
  }
  hex = POOL.toString('hex', nextPiece, nextPiece + PIECE);
  nextPiece += PIECE;
  offset = 0;
}

/** A fresh trace id: 32 hex digits. */
export function newTraceId(): string {
  return take(HEX_TRACE);
}

/** A fresh span id: 16 hex digits. */
export function newSpanId(): string {
  return take(HEX_SPAN);
}

/** What a `traceparent` says. */
export interface TraceParent {
  readonly traceId: string;
  /** The caller's span. */
  readonly parentId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_LENGTH = 512;

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

/** Writes a `traceparent`. @source W3C Trace Context, section 3.2 */
export function formatTraceParent(traceId: string, spanId: string, sampled: boolean): string {
  return sampled ? `00-${traceId}-${spanId}-01` : `00-${traceId}-${spanId}-00`;
}

/** 32 hex digits of a traceparent that `formatTraceParent` wrote. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** 16 hex digits of a traceparent that `formatTraceParent` wrote. */
export function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}

/** The sampled flag of a traceparent that `formatTraceParent` wrote. */
export function isSampled(traceparent: string): boolean {
  return traceparent.charCodeAt(54) === 49;
}
