import { OperationError, TreadleError } from '@treadle/api';
import { inPortions } from '../store/in-portions.js';
import type { JetLog } from '../store/jet-log.js';
import { linesOf, SnapshotReader } from './machine/snapshot.js';
import { QueueMachine } from './machine/queue-machine.js';
import type { QueueLog } from './queue-log.js';

/** Version of the entries and of what they do: engines of one store have the same. */
const LAYOUT = 2;
const MESSAGE_BYTES = 300_000;
const REMOVED_AT_ONCE = 50;
/** So old is a snapshot before the entries up to it go: servers sync what they have stored every 2 minutes by default; milliseconds. */
const SYNCED_MS = 150_000;

interface Snapshot {
  readonly seq: number;
  readonly messages: number;
  /** When it was stored, by the store's time. */
  readonly at: number;
}

/** What engines know of the log before they read it. */
interface LogRecord {
  readonly layout: number;
  readonly created: string;
  /** Oldest first, at most two. */
  readonly snapshots: readonly Snapshot[];
  /** Entries up to this one may be gone. */
  readonly purged: number;
}

/** What a queue was at some entries of the log, so that the entries before may go. */
export class Snapshots {
  /** How old a snapshot is before the entries up to it go; milliseconds. */
  syncedMs = SYNCED_MS;
  private readonly subject: string;

  constructor(private readonly queueLog: QueueLog, private readonly records: JetLog) {
    this.subject = `${queueLog.store.prefix}.m.queue`;
  }

  /** The queue as the last snapshot has it. @throws {STORE_NEWER}; an `OperationError` when none is whole */
  async load(): Promise<QueueMachine> {
    const { record, seq } = await this.find();
    if (record.snapshots.length === 0) return new QueueMachine();
    // A power cut can take the last one.
    for (const snapshot of [...record.snapshots].reverse()) {
      const machine = await this.read(snapshot);
      if (machine) return machine;
    }
    // Another engine has made two more meanwhile.
    if ((await this.find()).seq !== seq) return this.load();
    throw new OperationError('StorageFailed', `the snapshots of the queue in the stream ${this.queueLog.log.stream} are not whole`);
  }

  /** Entries up to this one may be gone from the log. */
  async purged(): Promise<number> {
    return (await this.find()).record.purged;
  }

  /** The last one, whoever made it. */
  async newest(): Promise<Pick<Snapshot, 'seq' | 'at'> | undefined> {
    return (await this.find()).record.snapshots.at(-1);
  }

  /** Begins the record of the log. @throws {STORE_NEWER} */
  async begin(): Promise<void> {
    const { record, seq } = await this.find();
    if (seq === 0 || record.snapshots.length === 0) await this.records.append(this.subject, { text: JSON.stringify(record), after: seq });
  }

  /**
   * Stores what the queue is now. Entries up to a snapshot before that surely lies on a disk may be removed from now on; gives the last of them.
   * A snapshot in between is replaced.
   */
  async store(machine: QueueMachine): Promise<number> {
    const { seq } = machine;
    const messages = await this.write(seq, linesOf(machine));
    const { record, seq: found } = await this.find();
    if (seq <= (record.snapshots.at(-1)?.seq ?? 0)) return 0;
    const now = this.queueLog.store.time.now();
    const synced = record.snapshots.filter(({ at }) => at <= now - this.syncedMs).at(-1);
    const base = synced ?? record.snapshots[0];
    const snapshots = [...base ? [base] : [], { seq, messages, at: now }];
    const purged = synced?.seq ?? record.purged;
    const stored = await this.records.append(this.subject, { text: JSON.stringify({ ...record, snapshots, purged } satisfies LogRecord), after: found });
    return stored === undefined ? 0 : purged;
  }

  /** Removes entries up to one: all without bodies, and of the others those that nobody needs. Gives which of these. */
  async remove(upTo: number, { bodies: { uses, freed } }: QueueMachine): Promise<readonly number[]> {
    const { log, subjects } = this.queueLog;
    let first = upTo + 1;
    for (const seq of uses.keys()) if (seq < first) first = seq;
    const gone = [...freed].filter((seq) => seq <= upTo);
    await log.purge(subjects.withoutBodies, upTo + 1);
    await log.purge(subjects.withBodies, first);
    await inPortions(gone.filter((seq) => seq >= first), REMOVED_AT_ONCE, (seq) => log.remove(seq));
    await this.removeSnapshots();
    return gone;
  }

  /** Undefined when some of it is gone. */
  private async read({ seq, messages }: Snapshot): Promise<QueueMachine | undefined> {
    const reader = new SnapshotReader();
    const read = new Set<string>();
    for await (const { subject, text } of this.queueLog.log.read({ filter: this.queueLog.subjects.snapshot(seq, '>'), from: 1 })) {
      // Two engines may have written the same snapshot.
      if (!read.has(subject)) for (const line of text.split('\n')) reader.read(line);
      read.add(subject);
    }
    return read.size === messages ? reader.finish() : undefined;
  }

  private async removeSnapshots(): Promise<void> {
    const { log, subjects } = this.queueLog;
    const { record } = await this.find();
    const head = subjects.snapshot('*', '>').indexOf('*');
    const there = new Set((await log.subjects(subjects.snapshot('*', '>'))).map((subject) => Number(subject.slice(head).split('.')[0])));
    for (const seq of there) {
      if (seq < (record.snapshots[0]?.seq ?? 0)) await log.purge(subjects.snapshot(seq, '>'));
    }
  }

  private async write(seq: number, lines: Iterable<string>): Promise<number> {
    const { log, subjects } = this.queueLog;
    let messages = 0;
    let text = '';
    let bytes = 0;
    const put = async (): Promise<void> => {
      await log.append(subjects.snapshot(seq, messages), { text });
      messages += 1;
      [text, bytes] = ['', 0];
    };
    for (const line of lines) {
      const own = Buffer.byteLength(line);
      if (bytes > 0 && bytes + own > MESSAGE_BYTES) await put();
      text += text === '' ? line : `\n${line}`;
      bytes += own;
    }
    await put();
    return messages;
  }

  private async find(): Promise<{ readonly record: LogRecord; readonly seq: number }> {
    const { log } = this.queueLog;
    const found = await this.records.last(this.subject);
    const fresh: LogRecord = { layout: LAYOUT, created: log.created, snapshots: [], purged: 0 };
    const record = found ? JSON.parse(found.text) as LogRecord : fresh;
    if (record.layout > LAYOUT) throw new TreadleError('STORE_NEWER', 'the queue was written by a newer version', 'use that version of @treadle/nats again, or another name');
    // A log that was made anew counts from 1 again.
    return { record: record.created === log.created ? record : fresh, seq: found?.seq ?? 0 };
  }
}
