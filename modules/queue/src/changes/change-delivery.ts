import { type Clock, formatTraceParent, type NewMessage, type OperationError, type StepId, type StoredChange } from '@treadle/api';
import type { ChangeListeners } from './change-listeners.js';
import type { Publisher } from '../publishing/publisher.js';

export interface DeliveryParts {
  readonly publisher: Publisher;
  readonly listeners: ChangeListeners;
  readonly dedupe: boolean;
  readonly clock: Clock;
}

/** Changes whose inputs have more bytes together are enqueued one portion after the other: so much is in memory at once. */
const PORTION_BYTES = 4 * 1024 * 1024;

/** What a Step that listens to a change is to have of it: it gets it now, later, or has it already. */
export type Share = 'now' | 'later' | 'has';

/** What became of some changes. */
export interface Delivered {
  /** Everybody has them. */
  readonly done: readonly string[];
  /** Somebody has to get them later. */
  readonly left: readonly string[];
  /** Steps that took no more, and the first change that they did not take. */
  readonly full: ReadonlyMap<StepId, string>;
  /** What else went wrong, at the first of the changes that are in neither list. */
  readonly fault?: unknown;
}

/** Enqueues changes to the Steps that listen to them, each Step for itself: one that takes no more keeps nothing from the others. */
export class ChangeDelivery {
  constructor(private readonly parts: DeliveryParts) {}

  async deliver(changes: readonly StoredChange[], share: ShareOf): Promise<Delivered> {
    await this.parts.listeners.stored();
    const sound: Attempt[] = [];
    const full = new Map<StepId, string>();
    // A Step that took no more gets nothing of later portions either: they would overtake what it did not take.
    const still: ShareOf = (step, change) => {
      const own = share(step, change);
      return own === 'now' && full.has(step) ? 'later' : own;
    };
    let failed: Attempt | undefined;
    for (const portion of portionsOf(changes)) {
      const attempts = await Promise.all(portion.map((change) => this.attempt(change, still)));
      const at = attempts.findIndex(({ fault }) => fault !== undefined);
      // Those behind a fault come again and are recognised; to be done with them first would let later ones overtake.
      const good = at < 0 ? attempts : attempts.slice(0, at);
      for (const { id, refused } of good) noteFull(full, refused, id);
      sound.push(...good);
      failed = attempts[at];
      if (failed) break;
    }
    return {
      done: sound.filter(({ left }) => !left).map(({ id }) => id), left: sound.filter(({ left }) => left).map(({ id }) => id), full,
      ...(failed ? { fault: failed.fault } : {}),
    };
  }

  private async attempt(change: StoredChange, share: ShareOf): Promise<Attempt> {
    const shares = this.parts.listeners.stepsFor(change.subject).map((step) => ({ step, share: share(step, change) }));
    const now = shares.filter((one) => one.share === 'now');
    const text = now.length > 0 ? change.input.text : '';
    const results = await Promise.allSettled(now.map(({ step }) => this.parts.publisher.store([this.message(change, text, step)])));
    const reasons = results.map((result) => (result.status === 'rejected' ? result.reason as unknown : undefined));
    const refused = now.filter((_, index) => isFull(reasons[index])).map(({ step }) => step);
    return {
      id: change.id, refused, left: refused.length > 0 || shares.some((one) => one.share === 'later'),
      fault: reasons.find((reason) => reason !== undefined && !isFull(reason)),
    };
  }

  private message({ id, subject, origin }: StoredChange, text: string, to: StepId): NewMessage {
    const { publisher, dedupe, clock } = this.parts;
    const { traceId, spanId, sampled } = origin;
    return {
      id: publisher.nextId(), topic: '', to, kind: subject.kind, data: text, traceparent: formatTraceParent(traceId, spanId, sampled),
      hops: origin.hops + 1, enqueuedAt: clock.now(), dedupeKey: dedupe ? `${subject.kind} ${id}` : undefined,
    };
  }
}

type ShareOf = (step: StepId, change: StoredChange) => Share;

function noteFull(full: Map<StepId, string>, refused: readonly StepId[], id: string): void {
  for (const step of refused) if (!full.has(step)) full.set(step, id);
}

/** In their order; a change that is larger than a portion is one. */
function portionsOf(changes: readonly StoredChange[]): readonly (readonly StoredChange[])[] {
  const portions: StoredChange[][] = [];
  let bytes = Infinity;
  for (const change of changes) {
    bytes += change.bytes;
    if (bytes <= PORTION_BYTES) portions.at(-1)?.push(change);
    else {
      portions.push([change]);
      bytes = change.bytes;
    }
  }
  return portions;
}

interface Attempt {
  readonly id: string;
  /** Steps that took no more. */
  readonly refused: readonly StepId[];
  readonly left: boolean;
  readonly fault: unknown;
}

function isFull(reason: unknown): boolean {
  return (reason as Partial<OperationError> | undefined)?.code === 'QueueFull';
}
