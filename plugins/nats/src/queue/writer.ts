import { OperationError, type SubscriptionKey, treadleError } from '@treadle/api';
import { isNotStored } from '../store/faults.js';
import type { Command, LogEntry } from './machine/commands.js';
import type { Refusal } from './machine/copying.js';
import type { Outcome } from './machine/queue-machine.js';
import { encodeEntry } from './log-entry.js';
import type { QueueLog } from './queue-log.js';
import type { Replica } from './replica.js';

/** How long an entry may be under way; milliseconds. */
const ANSWER_MS = 3_000;
const MOST_JOBS = 1_000;
const MOST_BYTES = 600_000;
/** Entries of which it is not known whether they were stored; those that were come with the log. */
const MOST_UNKNOWN = 1_000;

/** A command on its way, with the bodies that belong to it. */
interface Job {
  readonly bodies: readonly Buffer[];
  readonly bytes: number;
  /** @param first place of its first body among those of the entry */
  readonly command: (first: number) => Command;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Flight {
  readonly number: number;
  readonly land: (outcome: Outcome) => void;
  readonly fail: (error: unknown) => void;
}

let hands = 0;

/**
 * Writes what an engine wants into the log, and gives what has become of it once it has come back. What is asked for while an entry is under way shares the
 * next one, so there is one at a time.
 */
export class Writer {
  member: string;
  /** What the member votes for, by whoever asks. */
  votes: () => readonly SubscriptionKey[] = () => [];
  private readonly engine: string;
  private joined = false;
  private left = false;
  private names = 0;
  private number = 0;
  private waiting: Job[] = [];
  private flight: Flight | undefined;
  private isFlying = false;
  private readonly unknown = new Set<number>();

  /** @param copies the queue is copied: nobody else has it */
  constructor(private readonly queueLog: QueueLog, private readonly replica: Replica, readonly copies = false) {
    hands += 1;
    this.engine = `${queueLog.store.engine}.${hands}`;
    this.member = this.nameMember();
  }

  /** Writes the last of the member; what is wanted afterwards is refused. */
  leave(): Promise<unknown> {
    const left = this.run(() => ({ op: 'leave' }));
    this.left = true;
    return left;
  }

  /** @param command gets the place of its first body among those of the entry. @param about bytes of the command, as far as is known without making it */
  run<T>(command: (first: number) => Command, bodies: readonly Buffer[] = [], about?: number): Promise<T> {
    if (this.left) return Promise.reject(new OperationError('StorageUnavailable', 'the queue is closed'));
    return new Promise((resolve, reject) => {
      const bytes = bodies.reduce((sum, { length }) => sum + length, about ?? JSON.stringify(command(0)).length);
      this.waiting.push({ bodies, bytes, command, resolve: resolve as (result: unknown) => void, reject });
      if (this.isFlying) return;
      this.isFlying = true;
      queueMicrotask(() => void this.fly());
    });
  }

  /** An entry of this engine has come. True when nobody waits for it any more: it had been given up. */
  landed({ member, number, part }: LogEntry, outcome: Outcome): boolean {
    if (member !== this.member || part) return false;
    if (this.unknown.delete(number)) return true;
    if (this.flight?.number === number) this.flight.land(outcome);
    return false;
  }

  /**
   * The queue was read anew: entries of this engine that were part of what was read never come. Gives the numbers of those of which nobody knows
   * what became of them.
   */
  missed(): readonly number[] {
    const read = this.replica.machine.members.living.get(this.member)?.number ?? 0;
    const { number = Infinity } = this.flight ?? {};
    if (number <= read) {
      this.unknown.add(number);
      this.flight?.fail(new OperationError('StorageUnavailable', `${this.queueLog.store.server} cannot be reached: what was sent has not come back`));
    }
    return [...this.unknown].filter((each) => each <= read);
  }

  /** The connection is lost, and perhaps what is under way. */
  away(): void {
    this.flight?.fail(new OperationError('StorageUnavailable', `${this.queueLog.store.server} cannot be reached: the connection was lost`));
  }

  private async fly(): Promise<void> {
    while (this.waiting.length > 0) {
      const jobs = this.take();
      try {
        const outcome = await this.send(jobs);
        if ('results' in outcome) jobs.forEach(({ resolve }, index) => resolve(outcome.results[index]));
        else this.refused(jobs, outcome.refused);
      } catch (error) {
        // What waits has waited as long: with another entry for each it would fail later and later.
        const failed = isUnavailable(error) ? [...jobs, ...this.waiting.splice(0)] : jobs;
        for (const { reject } of failed) reject(error);
      }
    }
    this.isFlying = false;
  }

  private refused(jobs: readonly Job[], why: Extract<Outcome, { readonly refused: unknown }>['refused']): void {
    if (why === 'gone' && !this.left) {
      // Others took this engine for dead: what it had claimed is void, the rest is done as another member.
      this.member = this.nameMember();
      this.waiting = [...jobs, ...this.waiting];
      return;
    }
    const error = refusal(why, this.queueLog.store.name);
    for (const { reject } of jobs) reject(error);
  }

  private async send(jobs: readonly Job[]): Promise<Outcome> {
    const number = this.number += 1;
    const bodies = jobs.flatMap((job) => job.bodies);
    let first = 0;
    const commands = jobs.map((job) => {
      const command = job.command(first);
      first += job.bodies.length;
      return command;
    });
    const { member, joined, replica } = this;
    const entry = { member, number, seen: replica.machine.seq, ...!joined && { joins: this.votes(), ...this.copies && { copies: true as const } }, commands };
    const outcome = await this.outcomeOf(number, this.queueLog.publish(encodeEntry(entry, bodies), bodies.length > 0));
    if ('results' in outcome) this.joined = true;
    return outcome;
  }

  /** Waits until the entry has come back with the log. @throws an `OperationError` when it could not be stored, or does not come */
  private async outcomeOf(number: number, publishing: Promise<void>): Promise<Outcome> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Outcome>((resolve, reject) => {
        this.flight = { number, land: resolve, fail: reject };
        publishing.catch(reject);
        timer = setTimeout(() => {
          this.replica.doubt();
          reject(new OperationError('StorageUnavailable', `${this.queueLog.store.server} cannot be reached: what was sent has not come back`));
        }, ANSWER_MS);
      });
    } catch (error) {
      if (!isNotStored(error)) this.giveUp(number);
      throw error;
    } finally {
      clearTimeout(timer);
      this.flight = undefined;
    }
  }

  private giveUp(number: number): void {
    this.unknown.add(number);
    if (this.unknown.size > MOST_UNKNOWN) for (const first of this.unknown) return void this.unknown.delete(first);
  }

  private take(): Job[] {
    let count = 0;
    let bytes = 0;
    for (const job of this.waiting.slice(0, MOST_JOBS)) {
      if (count > 0 && bytes + job.bytes > MOST_BYTES) break;
      bytes += job.bytes;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private nameMember(): string {
    this.joined = false;
    this.names += 1;
    return `${this.engine}.${this.names}`;
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof OperationError && error.code === 'StorageUnavailable';

function refusal(why: 'gone' | 'lost' | Refusal, store: string): Error {
  if (why === 'gone') return new OperationError('StorageUnavailable', 'the queue is closed');
  if (why === 'lost') return new OperationError('StorageUnavailable', 'a part of what was to be stored did not arrive at NATS; nothing was stored');
  if (why === 'half') return treadleError('COPY_UNFINISHED', { store });
  return treadleError('STORE_IN_USE', { store, users: why === 'copying' ? '"treadle store copy" runs' : 'an engine, or another copy' });
}
