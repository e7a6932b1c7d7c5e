import { type Logger, TaskLane } from '@treadle/api';
import type { Following, JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { Bodies } from './bodies.js';
import { decodeEntry } from './log-entry.js';
import type { LogEntry } from './machine/commands.js';
import { type Outcome, QueueMachine } from './machine/queue-machine.js';
import type { QueueLog } from './queue-log.js';
import type { Snapshots } from './snapshots.js';

/** Entries that are remembered, to find out that one is missing. */
const TRAIL = 20_000;

/** Who wants to know what comes of the log. */
export interface ReplicaListener {
  applied(entry: LogEntry, outcome: Outcome): void;
  /** The queue was read anew: anything may be different. */
  renewed(): void;
}

/** The queue in one engine: what the entries of the log make of it, one after another. */
export class Replica {
  machine = new QueueMachine();
  readonly bodies: Bodies;
  listener: ReplicaListener | undefined;
  /** Entries since the last snapshot that is known here. */
  sinceSnapshot = 0;
  private following: Following | undefined;
  /** Entries that were applied after `trailFrom`. */
  private readonly trail = new Set<number>();
  private trailFrom = 0;
  /** End of the log when the queue was read: up to there it is as it is. */
  private readFrom = 0;
  /** Entry of the snapshot from which the queue was read; undefined once it is known that none was removed behind it before it had come here. */
  private unsureSince: number | undefined;
  /** The last entry, as it lies in the log. */
  private last: LogEntry | undefined;
  private broken = false;
  private suspect = false;
  private closed = false;
  private readonly lane = new TaskLane();

  constructor(private readonly queueLog: QueueLog, private readonly snapshots: Snapshots, private readonly logger: Logger) {
    this.bodies = new Bodies(queueLog.log, queueLog.store.time, logger);
  }

  get log(): JetLog {
    return this.queueLog.log;
  }

  get store(): NatsStore {
    return this.queueLog.store;
  }

  /** Reads the queue, and follows the log from then on. @throws {STORE_NEWER} and an `OperationError` when the server does not answer */
  async open(): Promise<void> {
    await this.snapshots.begin();
    await this.lane.run(async () => {
      await this.load();
      await this.follow();
    });
  }

  /** What was to come has not come. */
  doubt(): void {
    this.suspect = true;
  }

  /** Waits until it is known that nothing was missed while the queue was read; an entry of our own has come. @throws as `look` */
  async settled(): Promise<void> {
    await this.lane.run(() => this.makeSure());
  }

  /** Follows the log again where it may have been lost sight of. @throws an `OperationError` when the server does not answer */
  async look(anew: boolean): Promise<void> {
    if (anew || this.suspect || this.broken) await this.lane.run(() => this.goOn());
  }

  /** Loses sight of the log, until `look(true)`. */
  pause(): void {
    this.following?.stop();
    this.following = undefined;
  }

  close(): void {
    this.closed = true;
    this.pause();
  }

  private async goOn(): Promise<void> {
    this.pause();
    this.suspect = false;
    const { created } = this.log;
    await this.log.end();
    // It is another stream of that name.
    if (created !== this.log.created) this.broken = true;
    if (this.broken || !await this.isWhole()) {
      this.logger.warn('the queue is read anew from NATS: entries of its log were missing here', { last: this.machine.seq });
      await this.load();
      this.listener?.renewed();
    }
    await this.follow();
  }

  /** Whether the log has what was applied here, and all that comes behind it. A power cut can take its last messages, and others come in their place. */
  private async isWhole(): Promise<boolean> {
    const { last } = this;
    if (await this.snapshots.purged() > (this.unsureSince ?? this.machine.seq)) return false;
    if (!last) return true;
    const data = await this.queueLog.log.bytesAt(last.seq);
    const found = data && decodeEntry(data, last.seq, last.at);
    return found?.member === last.member && found.number === last.number && found.part === last.part;
  }

  /** Entries may be removed as soon as a snapshot is stored, also while they are read from the one before. */
  private async makeSure(): Promise<void> {
    const since = this.unsureSince;
    if (since === undefined || this.machine.seq < this.readFrom) return;
    if (await this.snapshots.purged() <= since) {
      this.unsureSince = undefined;
      return;
    }
    this.broken = true;
    await this.goOn();
  }

  private async load(): Promise<void> {
    this.readFrom = await this.queueLog.log.end();
    this.machine = await this.snapshots.load();
    this.last = undefined;
    this.bodies.clear();
    this.machine.bodies.onFreed = (seq) => this.bodies.forget(seq);
    this.trail.clear();
    this.trailFrom = this.machine.seq;
    this.unsureSince = this.machine.seq;
    this.broken = false;
    this.sinceSnapshot = 0;
  }

  private async follow(): Promise<void> {
    if (this.closed) return undefined;
    const following = await this.queueLog.follow(this.machine.seq + 1, (entry, data) => this.told(entry, data), () => void this.broke());
    if (this.closed) return following.stop();
    this.following = following;
    // What is written meanwhile comes behind it, and would be given up after 3 s.
    return following.read;
  }

  private told(entry: LogEntry, data: Uint8Array): void {
    const { machine } = this;
    if (this.broken || this.closed || entry.seq <= machine.seq) return;
    if (this.isMissing(entry)) {
      this.broke();
      return;
    }
    if (entry.bodies.length > 0) this.bodies.keep(entry.seq, Buffer.from(data));
    const before = machine.seq;
    const outcome = machine.apply(entry);
    this.remember(entry);
    this.sinceSnapshot += 1;
    this.listener?.applied(entry, outcome);
    if (before < this.readFrom && entry.seq >= this.readFrom) this.lane.run(() => this.makeSure()).catch(() => this.doubt());
  }

  /** An entry is missing: nothing that comes after it is applied. */
  private broke(): void {
    if (this.broken) return;
    this.broken = true;
    // While it is broken each beat tries it again.
    this.lane.run(() => this.goOn()).catch(() => undefined);
  }

  /** Its engine had seen an entry that has not come here. */
  private isMissing({ seq, seen }: LogEntry): boolean {
    return seq > this.readFrom && seen > this.trailFrom && seen < seq && !this.trail.has(seen);
  }

  private remember(entry: LogEntry): void {
    this.last = entry;
    this.trail.add(entry.seq);
    if (this.trail.size <= TRAIL) return;
    const [first = 0] = this.trail;
    this.trail.delete(first);
    this.trailFrom = first;
  }
}
