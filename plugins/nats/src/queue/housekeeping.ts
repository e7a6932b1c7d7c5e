import type { Logger } from '@treadle/api';
import { textOf } from '../store/faults.js';
import type { Lease } from '../store/lease.js';
import type { Replica } from './replica.js';
import type { Snapshots } from './snapshots.js';

/** Entries after which a snapshot is made, at least as many as the queue has messages. */
const LEAST_ENTRIES = 20_000;
/** Time between two snapshots: nobody needs an entry that long after it was written; milliseconds. */
const APART_MS = 60_000;
const LEASE_MS = 120_000;
/** Messages of the log that one entry names. */
const NAMED_AT_ONCE = 5_000;

/** One of the engines makes snapshots, so that a start has little to read, and removes entries that nobody needs. */
export class Housekeeping {
  private working: Promise<void> | undefined;
  /** When this engine last looked whether one is to be made; milliseconds. */
  private triedAt = -Infinity;
  /** Entries after which a snapshot is made. */
  leastEntries = LEAST_ENTRIES;
  /** Tells the queue which messages of the log are gone. */
  removed: (seqs: readonly number[]) => Promise<unknown> = () => Promise.resolve();

  constructor(private readonly replica: Replica, readonly snapshots: Snapshots, private readonly lease: Lease, private readonly logger: Logger) {}

  /** Begins when it is time; what fails is tried again. */
  look(): void {
    const { machine, sinceSnapshot } = this.replica;
    const due = sinceSnapshot >= Math.max(this.leastEntries, machine.bodies.uses.size) && performance.now() - this.triedAt >= APART_MS;
    if (due && !this.working) this.working = this.makeNext().catch((error: unknown) => this.failed(error)).finally(() => { this.working = undefined; });
  }

  async close(): Promise<void> {
    await this.working;
  }

  /** Makes a snapshot now, unless another engine does. */
  async make(): Promise<void> {
    if (!await this.lease.take(LEASE_MS)) return;
    try {
      await this.makeOne();
    } finally {
      // This engine may be gone when the next one is due.
      await this.lease.release().catch(() => undefined);
    }
  }

  /** The same where the last one is old enough, whoever made it and when: an engine that is killed again and again does not wait for a time that it never sees. */
  private async makeNext(): Promise<void> {
    this.triedAt = performance.now();
    const { replica, snapshots } = this;
    const newest = await snapshots.newest();
    if (!newest || replica.store.time.now() - newest.at >= APART_MS) return this.make();
    replica.sinceSnapshot = Math.min(replica.sinceSnapshot, replica.machine.seq - newest.seq);
    return undefined;
  }

  private async makeOne(): Promise<void> {
    const { sinceSnapshot, machine } = this.replica;
    const upTo = await this.snapshots.store(machine);
    this.replica.sinceSnapshot = Math.max(0, this.replica.sinceSnapshot - sinceSnapshot);
    if (upTo === 0) return;
    const gone = await this.snapshots.remove(upTo, this.replica.machine);
    for (let at = 0; at < gone.length; at += NAMED_AT_ONCE) await this.removed(gone.slice(at, at + NAMED_AT_ONCE));
  }

  private failed(error: unknown): void {
    this.logger.warn('the queue\'s log could not be shortened; it is tried again', { reason: textOf(error) });
  }
}
