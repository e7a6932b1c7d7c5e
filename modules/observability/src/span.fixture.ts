import type { SpanRecord } from '@treadle/api';
import { SpanRing } from './spans/span-ring.js';
import { type SpanTree, spanTree } from './spans/span-tree.js';

export const TRACE = 'a'.repeat(32);

/** Sixteen hex digits from a number. */
export const id = (number: number): string => number.toString(16).padStart(16, '0');

/** A span of one trace; `parent` and `at` are short for the common case. */
export function span(number: number, members: Partial<SpanRecord> & { readonly parent?: number } = {}): SpanRecord {
  const { parent, ...rest } = members;
  return {
    traceId: TRACE, spanId: id(number), parentSpanId: parent === undefined ? undefined : id(parent), name: `span ${number}`, kind: 'internal',
    startTime: 1000 + number, durationMs: 1, stepName: '', attributes: {}, ...rest,
  };
}

/**
 * One request: HTTP (0-10) → handler → publish at 5 → Step fails (20-24) → again (54-60) with a state write at 56-58 and a
 * second publish at 59 → last Step (70-80).
 */
export const REQUEST: readonly SpanRecord[] = [
  span(1, { name: 'POST /orders', kind: 'server', startTime: 0, durationMs: 10, attributes: { 'http.route': '/orders' } }),
  span(2, { name: 'Order', parent: 1, startTime: 1, durationMs: 8, stepName: 'Order', attributes: { 'step.name': 'Order', 'step.trigger': 'http' } }),
  span(3, { name: 'publish orders', kind: 'producer', parent: 2, startTime: 4, durationMs: 2, stepName: 'Order' }),
  span(4, {
    name: 'consume orders', kind: 'consumer', parent: 3, startTime: 20, durationMs: 4, stepName: 'Notify',
    attributes: { 'messaging.message.id': 'm1', 'queue.enqueued_at': 5, 'step.attempt': 1 }, error: { type: 'TypeError', message: 'no mail' },
  }),
  span(5, {
    name: 'consume orders', kind: 'consumer', parent: 3, startTime: 54, durationMs: 6, stepName: 'Notify',
    attributes: { 'messaging.message.id': 'm1', 'queue.enqueued_at': 5, 'step.attempt': 2 },
  }),
  span(6, { name: 'state.set', kind: 'client', parent: 5, startTime: 56, durationMs: 2, stepName: 'Notify' }),
  span(7, { name: 'publish audit', kind: 'producer', parent: 5, startTime: 58.5, durationMs: 1, stepName: 'Notify' }),
  span(8, {
    name: 'consume audit', kind: 'consumer', startTime: 70, durationMs: 10, stepName: 'Audit', links: [`00-${TRACE}-${id(7)}-01`],
    attributes: { 'messaging.message.id': 'm2', 'queue.enqueued_at': new Date(59).toISOString() },
  }),
];

/** The tree of spans that came in this order. */
export function treeOf(spans: readonly SpanRecord[]): SpanTree {
  const ring = new SpanRing(spans.length, Infinity);
  for (const one of spans) ring.add(one);
  return spanTree(ring, [...spans.keys()]);
}
