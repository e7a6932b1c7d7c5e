import { setImmediate as nextTurn } from 'node:timers/promises';
import { EngineTurn, systemClock } from '@treadle/kernel';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { Committer } from './committer.js';
import type { GroupResult } from './group-executor.js';
import { type Settled, WriteQueue } from './write-queue.js';

const NOBODY = { full: () => undefined, busy: () => undefined, committed: () => undefined, broken: () => undefined };

function recording(turn = new EngineTurn(systemClock)): { readonly queue: WriteQueue; readonly groups: (readonly string[])[] } {
  const groups: (readonly string[])[] = [];
  const committer: Committer = {
    kind: 'loop', onEnd: undefined, tidy: () => undefined, look: () => undefined, close: () => Promise.resolve(), abandon: () => undefined,
    commit: (requests, done) => {
      groups.push(requests.map(({ operation }) => operation));
      done({ outcomes: requests.map(() => ({ ok: true, value: undefined })) });
    },
  };
  return { groups, queue: new WriteQueue(committer, turn, systemClock, NOBODY) };
}

const write = (queue: WriteQueue, operation: string, value = ''): void => void queue.add({ operation, rows: [[value]] }, () => undefined);

describe('WriteQueue', () => {
  it('commits the writes of a turn as one group, at its end', async () => {
    const { queue, groups } = recording();
    write(queue, 'a');
    await Promise.resolve();
    write(queue, 'b');
    expect(groups).to.deep.equal([]);
    await nextTurn();
    expect(groups).to.deep.equal([['a', 'b']]);
  });

  it('commits in the same turn, still as one group, what is written at its end', async () => {
    const turn = new EngineTurn(systemClock);
    const { queue, groups } = recording(turn);
    write(queue, 'earlier');
    for (const phase of ['settle', 'enqueue'] as const) turn.at(phase, () => write(queue, phase))();
    await nextTurn();
    expect(groups).to.deep.equal([['earlier', 'enqueue', 'settle']]);
    await nextTurn();
    expect(groups).to.have.length(1);
  });

  it('ends a group with 2 MB of rows, so that others have their turn in between', async () => {
    const { queue, groups } = recording();
    const large = 'x'.repeat(900_000);
    for (const operation of ['a', 'b', 'c', 'd']) write(queue, operation, large);
    queue.add({ operation: 'all', rows: [], parts: [1, 2, 3].map(() => ({ operation: 'part', rows: [[large]] })) }, () => undefined);
    write(queue, 'small');
    await queue.drained();
    expect(groups).to.deep.equal([['a', 'b'], ['c', 'd'], ['all'], ['small']]);
  });

  it('tries a group again while another program writes, and refuses it when that takes long', async () => {
    const clock = fakeClock();
    const busy = { kind: 'busy', reason: 'SQLITE_BUSY' } as const;
    let [tries, busyTimes, told] = [0, 2, 0];
    const committer: Committer = {
      kind: 'loop', onEnd: undefined, tidy: () => undefined, look: () => undefined, close: () => Promise.resolve(), abandon: () => undefined,
      commit: (requests, done) => {
        tries += 1;
        done(tries <= busyTimes ? { fault: busy, outcomes: requests.map(() => ({ ok: false, fault: busy })) } : { outcomes: requests.map(() => ({ ok: true, value: tries })) });
      },
    };
    const queue = new WriteQueue(committer, new EngineTurn(clock), clock, { ...NOBODY, busy: () => void (told += 1) });
    const outcomes: unknown[] = [];
    const noted = (outcome: Settled): void => void outcomes.push(outcome.ok ? outcome.value : outcome.error.code);
    queue.add({ operation: 'a', rows: [] }, noted);
    await nextTurn();
    await clock.advance(1_000);
    expect([outcomes, told]).to.deep.equal([[3], 2]);
    [tries, busyTimes] = [0, Infinity];
    queue.add({ operation: 'b', rows: [] }, noted);
    await nextTurn();
    await clock.advance(4_900);
    expect(outcomes).to.deep.equal([3]);
    await clock.advance(200);
    expect(outcomes).to.deep.equal([3, 'StorageRefused']);
    expect(queue.quiet).to.equal(true);
  });

  it('refuses a write that waits for the next group as the one that it builds on was refused', async () => {
    let answer: ((result: GroupResult) => void) | undefined;
    const committer: Committer = {
      kind: 'thread', onEnd: undefined, tidy: () => undefined, look: () => undefined, close: () => Promise.resolve(), abandon: () => undefined,
      commit: (_requests, done) => void (answer = done),
    };
    const queue = new WriteQueue(committer, new EngineTurn(systemClock), systemClock, NOBODY);
    const codes: string[] = [];
    const noted = (outcome: Settled): void => void codes.push(outcome.ok ? 'stored' : outcome.error.code);
    const base = queue.add({ operation: 'a', rows: [] }, noted);
    await nextTurn();
    queue.add({ operation: 'c', rows: [] }, noted, queue.add({ operation: 'b', rows: [] }, noted, base));
    const fault = { kind: 'full', reason: 'SQLITE_FULL' } as const;
    answer?.({ fault, outcomes: [{ ok: false, fault }] });
    expect(codes).to.deep.equal(['StorageFull', 'StorageFull', 'StorageFull']);
  });
});
