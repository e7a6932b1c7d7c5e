import type { SqliteStore } from './sqlite-store.js';
import { type Row, TOGETHER, type WriteRequest } from './store-area.js';
import type { Settled, Ticket } from './write-queue.js';

/** A write that is decided and counts for whoever decides next, but is not on its way yet. It has to be sent in the same turn. */
export interface PreparedWrite {
  readonly request: WriteRequest;
  /** It is on its way, by this ticket. */
  sent?(ticket: Ticket): void;
  /** The value is that of all writes of the same operation. */
  settled(outcome: Settled): void;
}

/** Writes all of them or none; no two may be of the same row. `done`: after each has been told what became of it. */
export function writeTogether(store: SqliteStore, writes: readonly PreparedWrite[], done: (outcome: Settled) => void): void {
  const [only] = writes;
  const parts = only && writes.length === 1 ? undefined : joined(writes);
  const request = parts || !only ? { operation: TOGETHER, rows: [], parts: [...parts?.values() ?? []] } : only.request;
  const ticket = store.write(request, (outcome) => {
    const values = new Map([...parts?.keys() ?? []].map((operation, index) => [operation, outcome.ok ? (outcome.value as readonly unknown[])[index] : undefined]));
    for (const write of writes) write.settled(outcome.ok && parts ? { ok: true, value: values.get(write.request.operation) } : outcome);
    done(outcome);
  });
  for (const write of writes) write.sent?.(ticket);
}

/** One request for each operation. */
function joined(writes: readonly PreparedWrite[]): ReadonlyMap<string, WriteRequest> {
  const rows = new Map<string, Row[]>();
  for (const { request } of writes) {
    const known = rows.get(request.operation);
    if (known) known.push(...request.rows);
    else rows.set(request.operation, [...request.rows]);
  }
  return new Map([...rows].map(([operation, all]) => [operation, { operation, rows: all }]));
}
