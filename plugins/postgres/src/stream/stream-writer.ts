import { Batcher, encodeKey, type StateEntry, type StreamEvent, type StreamGroup, type StreamWrite, type StreamWriteResult, TaskLane } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import { isRepeatable } from '../store/faults.js';
import type { PgStore } from '../store/pg-store.js';
import { afterOf, columnsOf, type Job, type Outcome, type Planned, planOf, type SentEvent } from './stream-plan.js';
import { entryOf, eventOf, type EventRow, groupText, type KnownItem } from './stream-rows.js';

/** Writes of one statement. */
const MOST = 500;
/** Events of a group that are kept. */
const KEPT_EVENTS = 1_000;

const READ = `SELECT t.value, coalesce(t.revision, g.floor, 0) AS revision FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k (stream, grp, item, nr)
  LEFT JOIN stream_items t ON t.stream = k.stream AND t.grp = k.grp AND t.item = k.item
  LEFT JOIN stream_groups g ON g.stream = k.stream AND g.grp = k.grp ORDER BY k.nr`;
const WRITE = 'SELECT * FROM stream_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/** What became of a row. */
export interface Written extends Record<string, unknown> {
  readonly ok: boolean; readonly number: number; readonly seq: number; readonly at: number; readonly kind: EventRow['kind'] | null; readonly old_value: string | null; readonly old_revision: number;
}

/** Where an item is. */
export interface ItemPlace extends StreamGroup {
  readonly id: string;
}

/** What a write made happen in a group. */
export interface OwnEvent {
  readonly number: number;
  readonly event: StreamEvent;
}

/** Writes items and events. What comes while a write is under way goes with the next one. */
export class StreamWriter {
  /** Own writes, one batch after the other. */
  readonly lane = new TaskLane();
  private readonly batcher: Batcher<Job, Outcome>;

  /** @param happened resolves when watchers were told */
  constructor(
    private readonly store: PgStore, private readonly epoch: () => string,
    private readonly happened: (events: readonly OwnEvent[], changes: boolean) => Promise<void>,
  ) {
    this.batcher = new Batcher(this.lane, MOST, (jobs) => this.writeAll(jobs));
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    const group = { stream: write.stream, groupId: write.groupId };
    return await this.add({ group, key: `${groupText(group)} ${write.id}`, write }) as StreamWriteResult;
  }

  async send(group: StreamGroup, send: SentEvent): Promise<void> {
    await this.add({ group, key: '', send });
  }

  async read(places: readonly ItemPlace[]): Promise<readonly (StateEntry | undefined)[]> {
    return (await this.known(places)).map(entryOf);
  }

  private async add(job: Job): Promise<StreamWriteResult | undefined> {
    const [outcome] = await this.batcher.add([job]);
    if (outcome && 'thrown' in outcome) throw outcome.thrown;
    return outcome?.result;
  }

  private async writeAll(jobs: readonly Job[]): Promise<readonly Outcome[]> {
    const outcomes = new Map<Job, Outcome>();
    let left = groupedJobs(jobs);
    while (left.length > 0) {
      left = await this.attempt(left, outcomes).catch((error: Error) => {
        if (isRepeatable(error.cause)) return left;
        throw error;
      });
    }
    return jobs.map((job) => outcomes.get(job) as Outcome);
  }

  /** Gives those that have to decide again. */
  private async attempt(jobs: readonly Job[], outcomes: Map<Job, Outcome>): Promise<readonly Job[]> {
    const places = new Map(jobs.flatMap(({ key, write }) => (write ? [[key, write] as const] : [])));
    const found = await this.known([...places.values()]);
    const known = new Map([...places.keys()].map((key, index) => [key, found[index] as KnownItem]));
    const planned: Planned[] = [];
    for (const job of jobs) {
      const plan = planOf(job, known.get(job.key), outcomes);
      if (!plan) continue;
      planned.push(plan);
      if (job.write) known.set(job.key, afterOf(plan));
    }
    const failed = await this.put(planned, outcomes);
    const again = new Set<string>();
    return jobs.filter((job) => {
      if (failed.has(job)) again.add(job.key);
      return job.write && again.has(job.key);
    });
  }

  private async put(planned: readonly Planned[], outcomes: Map<Job, Outcome>): Promise<ReadonlySet<Job>> {
    const failed = new Set<Job>();
    if (planned.length === 0) return failed;
    const rows = await this.writeRows(this.store.connections, planned);
    planned.forEach((plan, index) => {
      const row = rows[index] as Written;
      const { job, text } = plan;
      if (!row.ok) failed.add(job);
      const before = row.old_value === null ? undefined : entryOf({ text: row.old_value, revision: row.old_revision });
      const after = plan.action === 0 ? entryOf({ text, revision: row.old_revision + 1 }) : undefined;
      outcomes.set(job, { result: job.write && { before, after } });
    });
    await this.tell(planned, rows);
    return failed;
  }

  /** Within a transaction `tell` comes after it. */
  writeRows(queries: Queries, planned: readonly Planned[]): Promise<readonly Written[]> {
    return queries.rows<Written>(WRITE, [this.store.time.now(), KEPT_EVENTS, ...columnsOf(planned)], 'stream.write');
  }

  /** Watchers hear what was written. */
  async tell(planned: readonly Planned[], rows: readonly Written[]): Promise<void> {
    const events: OwnEvent[] = [];
    planned.forEach(({ job, text }, index) => {
      const row = rows[index] as Written;
      if (row.kind === null) return;
      const id = job.write ? job.write.id : job.send.id;
      const item = id === undefined ? null : encodeKey(id);
      const type = job.send ? encodeKey(job.send.type) : null;
      events.push({ number: row.number, event: eventOf(job.group, this.epoch(), { ...row, kind: row.kind, item, type, data: text ?? row.old_value ?? 'null' }) });
    });
    await this.happened(events, planned.some(({ origin }) => origin !== undefined));
  }

  /** Items as they are. */
  async known(places: readonly ItemPlace[], queries: Queries = this.store.connections): Promise<readonly KnownItem[]> {
    if (places.length === 0) return [];
    const rows = await queries.rows<{ value: string | null; revision: number }>(READ, [
      places.map(({ stream }) => encodeKey(stream)), places.map(({ groupId }) => encodeKey(groupId)), places.map(({ id }) => encodeKey(id)),
    ], 'stream.read');
    return rows.map(({ value, revision }) => ({ text: value, revision }));
  }
}

/** Those of a group together, in their order. */
export function groupedJobs(jobs: readonly Job[]): readonly Job[] {
  const groups = new Map<string, Job[]>();
  for (const job of jobs) {
    const text = groupText(job.group);
    const known = groups.get(text);
    if (known) known.push(job);
    else groups.set(text, [job]);
  }
  return [...groups.values()].flat();
}
