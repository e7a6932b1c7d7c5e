import type { CommitOutcome } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { AtomicDeliveries, type AtomicDeliveriesParts } from './atomic-deliveries.js';
import type { PendingCommit } from './commit-writer.js';
import type { Consumer } from './consumer.js';
import type { DeliveryRun } from './delivery-run.js';

const CONFLICT: CommitOutcome = { ok: false, why: 'conflict', at: 0 };
const DONE: CommitOutcome = { ok: true, ids: [] };

/** A consumer with two slots, whose store says what becomes of commits when the test does. */
class Rig {
  readonly begun: string[] = [];
  readonly over: string[] = [];
  free = 0;
  /** How many were held when one of them was handed back. */
  readonly heldBeside: number[] = [];
  isStopping = false;
  private readonly commits = new Map<string, PendingCommit>();
  private readonly consumer = { settings: { concurrency: 2 }, careful: 0, ahead: 0 } as unknown as Consumer;
  private readonly atomic = new AtomicDeliveries({
    over: (run) => {
      this.over.push(nameOf(run));
      if (run.hasSlot) this.free += 1;
      this.atomic.slotFree(this.consumer);
    },
    again: (run) => {
      if (this.isStopping) {
        this.heldBeside.push(this.atomic.size);
        return 'returned';
      }
      if (!run.hasSlot && this.free === 0) return 'no_slot';
      if (!run.hasSlot) this.free -= 1;
      this.begun.push(nameOf(run));
      return 'begun';
    },
    handBack: () => undefined,
  }, { commits: { add: (pending: PendingCommit) => void this.commits.set(pending.commit as unknown as string, pending) }, clock: fakeClock(), random: () => 0, maxWaiting: () => 1 } as unknown as AtomicDeliveriesParts);

  /** Its handler has ended. */
  ended(name: string, delivery: object, hasSlot = true): void {
    const buffered = { touched: true, conflicted: false, end: (done: () => void) => done(), commitOf: () => name, committed: () => undefined };
    this.atomic.ended({ consumer: this.consumer, delivery, hasSlot, atomic: buffered, name } as unknown as DeliveryRun, undefined);
  }

  answer(name: string, outcome: CommitOutcome): void {
    this.commits.get(name)?.answered(outcome);
  }

  get size(): number {
    return this.atomic.size;
  }
}

const nameOf = (run: DeliveryRun): string => (run as unknown as { readonly name: string }).name;

describe('atomic deliveries that come too late', () => {
  it('run again although those that hold all slots came too late as well', () => {
    const [rig, ahead, first, second] = [new Rig(), {}, {}, {}];
    rig.ended('ahead', ahead, false);
    rig.ended('first', first);
    rig.ended('second', second);
    for (const name of ['ahead', 'first', 'second']) rig.answer(name, CONFLICT);
    expect(rig.begun, 'what has a slot goes before what would wait for one').to.deep.equal(['first']);
    rig.ended('first', first);
    rig.answer('first', DONE);
    expect(rig.begun).to.deep.equal(['first', 'second']);
    rig.ended('second', second);
    rig.answer('second', DONE);
    expect(rig.begun).to.deep.equal(['first', 'second', 'ahead']);
    rig.ended('ahead', ahead);
    rig.answer('ahead', DONE);
    expect([rig.over, rig.size]).to.deep.equal([['first', 'second', 'ahead'], 0]);
  });

  it('are no longer held when they are handed back: the end may wait for the last one', () => {
    const rig = new Rig();
    rig.isStopping = true;
    rig.ended('last', {});
    rig.answer('last', CONFLICT);
    expect([rig.heldBeside, rig.size]).to.deep.equal([[0], 0]);
  });

  it('run again when a slot is free', () => {
    const [rig, ahead] = [new Rig(), {}];
    rig.ended('ahead', ahead, false);
    rig.answer('ahead', CONFLICT);
    expect(rig.begun).to.deep.equal([]);
    rig.ended('other', {});
    rig.answer('other', DONE);
    expect(rig.begun).to.deep.equal(['ahead']);
  });
});
