import { Batcher, DELETED_REVISION_MS, encodeKey, type Json, type StateDecision, type StateEntry, type StateWrite, type StateWriteResult, TaskLane } from '@treadle/api';
import type { PgStore } from '../store/pg-store.js';
import { isRepeatable } from '../store/faults.js';

/** Writes of one statement. */
const MOST = 500;

const READ = `SELECT e.value, coalesce(e.revision, f.revision, 0) AS revision, e.due_at
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (grp, key, nr)
  LEFT JOIN state_entries e ON e.grp = k.grp AND e.key = k.key LEFT JOIN state_floors f ON f.grp = k.grp ORDER BY k.nr`;
/** Rows in, rows out; see `state_write`. */
export const WRITE = 'SELECT * FROM state_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

interface Place {
  readonly group: string;
  readonly key: string;
}

/** A key as it is, or as a write under way will make it. */
interface Known {
  readonly text: string | null;
  readonly revision: number;
}

interface Job {
  readonly write: StateWrite;
  readonly place: Place;
  readonly id: string;
}

/** What became of a write: its decision may throw, which is nobody else's matter. */
type Outcome = { readonly result: StateWriteResult } | { readonly result?: undefined; readonly thrown: unknown };
type Outcomes = Map<Job, Outcome>;

/** A decision that writes something. */
interface Planned {
  readonly job: Job;
  readonly text: string | null;
  readonly decision: StateDecision;
  /** What it went by; undefined for a write that goes by nothing. */
  readonly from: Known | undefined;
}

interface Written extends Record<string, unknown> { readonly ok: boolean; readonly live: boolean; readonly old_value: string | null; readonly old_revision: number }

/**
 * Writes entries. What decides by the present value is read first and written only if nobody has written the key meanwhile; else
 * it decides again. What comes while a write is under way goes with the next one, several writes of a key one after the other.
 */
export class StateWriter {
  private readonly batcher: Batcher<StateWrite, Outcome>;

  constructor(private readonly store: PgStore, private readonly recorded: () => void) {
    this.batcher = new Batcher(new TaskLane(), MOST, (writes) => this.writeAll(writes));
  }

  async write(write: StateWrite): Promise<StateWriteResult> {
    const [outcome] = await this.batcher.add([write]);
    if (outcome?.result) return outcome.result;
    throw outcome?.thrown;
  }

  /** Entries of keys, in order. */
  async read(places: readonly Place[]): Promise<readonly (StateEntry | undefined)[]> {
    return (await this.known(places, this.store.time.now())).map(entryOf);
  }

  private async writeAll(writes: readonly StateWrite[]): Promise<readonly Outcome[]> {
    const results: Outcomes = new Map();
    const jobs = writes.map((write): Job => {
      const place = placeOf(write);
      return { write, place, id: `${place.group}\0${place.key}` };
    });
    let left: readonly Job[] = jobs;
    while (left.length > 0) {
      const again = await this.attempt(left, results).catch((error: Error) => {
        if (isRepeatable(error.cause)) return left;
        throw error;
      });
      left = again;
    }
    return jobs.map((job) => results.get(job) as Outcome);
  }

  /** Gives those that have to decide again. */
  private async attempt(jobs: readonly Job[], results: Outcomes): Promise<readonly Job[]> {
    const now = this.store.time.now();
    const reading = new Map(jobs.filter(({ write }) => !write.always).map(({ id, place }) => [id, place]));
    const found = await this.known([...reading.values()], now);
    const known = new Map([...reading.keys()].map((id, index) => [id, found[index] as Known]));
    const planned: Planned[] = [];
    for (const job of jobs) {
      const plan = decide(job, known.get(job.id), results);
      if (!plan) continue;
      planned.push(plan);
      if (plan.from) known.set(job.id, { text: plan.text, revision: plan.from.revision + 1 });
    }
    const failed = await this.putAll(planned, now, results);
    const again = new Set<string>();
    return jobs.filter((job) => {
      if (failed.has(job)) again.add(job.id);
      return again.has(job.id);
    });
  }

  /** Gives those that were not written: somebody else has written the key meanwhile. */
  private async putAll(planned: readonly Planned[], now: number, results: Outcomes): Promise<ReadonlySet<Job>> {
    const failed = new Set<Job>();
    if (planned.length === 0) return failed;
    const rows = await this.store.connections.rows<Written>(WRITE, [now, now + DELETED_REVISION_MS, ...this.columnsOf(planned)], 'state.write');
    planned.forEach(({ job, text }, index) => {
      const { ok, live, old_value: old, old_revision: revision } = rows[index] as Written;
      if (!ok) failed.add(job);
      const before = live && old !== null ? entryOf({ text: old, revision }) : undefined;
      const wrote = text !== null || live;
      results.set(job, { result: { before, after: wrote ? entryOf({ text, revision: revision + 1 }) : undefined } });
    });
    if (planned.some(({ job }) => job.write.recordChange)) this.recorded();
    return failed;
  }

  private columnsOf(planned: readonly Planned[]): unknown[][] {
    const { time } = this.store;
    const due = ({ decision }: Planned): number | null => (
      decision.action === 'set' && decision.expiresAt !== undefined ? time.toStore(decision.expiresAt) : null);
    return [
      planned.map(({ job }) => job.place.group), planned.map(({ job }) => job.place.key), rowsBefore(planned), planned.map(({ from }) => from?.revision ?? null),
      planned.map(({ from }) => (from ? from.text !== null : null)), planned.map(({ text }) => text), planned.map(due),
      planned.map(({ decision }) => decision.action === 'set' && decision.keepExpiry === true), planned.map(({ job }) => job.write.recordChange),
      planned.map(({ job }) => job.write.origin ?? null),
    ];
  }

  private async known(places: readonly Place[], now: number): Promise<readonly Known[]> {
    if (places.length === 0) return [];
    const rows = await this.store.connections.rows<{ value: string | null; revision: number; due_at: number | null }>(
      READ, [places.map(({ group }) => group), places.map(({ key }) => key)], 'state.read');
    return rows.map(({ value, revision, due_at: due }) => ({ revision, text: value === null || (due !== null && due <= now) ? null : value }));
  }
}

export function placeOf({ group, key }: { readonly group: string; readonly key: string }): Place {
  return { group: encodeKey(group), key: encodeKey(key) };
}

/** What the write does to the key as it is; undefined when that is nothing, or when the decision throws. */
function decide(job: Job, from: Known | undefined, results: Outcomes): Planned | undefined {
  try {
    const current = from && entryOf(from);
    const decision = from ? job.write.next(current) : job.write.always as StateDecision;
    if (decision.action === 'set') return { job, decision, from, text: decision.text ?? JSON.stringify(decision.value) };
    if (decision.action === 'delete' && from?.text !== null) return { job, decision, from, text: null };
    results.set(job, { result: { before: current, after: current } });
  } catch (thrown) {
    results.set(job, { thrown });
  }
  return undefined;
}

/** Of each the row of the same key before it, counted from 1, or 0. */
function rowsBefore(planned: readonly Planned[]): number[] {
  const last = new Map<string, number>();
  return planned.map(({ job: { id } }, index) => {
    const before = last.get(id) ?? 0;
    last.set(id, index + 1);
    return before;
  });
}

function entryOf({ text, revision }: Known): StateEntry | undefined {
  return text === null ? undefined : { value: JSON.parse(text) as Json, revision };
}
