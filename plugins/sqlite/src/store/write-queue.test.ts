import { setImmediate as nextTurn } from 'node:timers/promises';
import { EngineTurn, systemClock } from '@treadle/kernel';
import { expect } from 'chai';
import type { Committer } from './committer.js';
import type { GroupResult } from './group-executor.js';
import { type Settled, WriteQueue } from './write-queue.js';

function recording(turn = new EngineTurn(systemClock)): { readonly queue: WriteQueue; readonly groups: (readonly string[])[] } {
  const groups: (readonly string[])[] = [];
  const committer: Committer = {
    kind: 'loop', onEnd: undefined, tidy: () => undefined, look: () => undefined, close: () => Promise.resolve(), abandon: () => undefined,
    commit: (requests, done) => {
      groups.push(requests.map(({ operation }) => operation));
      done({ outcomes: requests.map(() => ({ ok: true, value: undefined })) });
    },
  };
  return { groups, queue: new WriteQueue(committer, turn, { full: () => undefined, committed: () => undefined, broken: () => undefined }) };
}

const write = (queue: WriteQueue, operation: string): void => void queue.add({ operation, rows: [] }, () => undefined);

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

  it('refuses a write that waits for the next group as the one that it builds on was refused', async () => {
    let answer: ((result: GroupResult) => void) | undefined;
    const committer: Committer = {
      kind: 'thread', onEnd: undefined, tidy: () => undefined, look: () => undefined, close: () => Promise.resolve(), abandon: () => undefined,
      commit: (_requests, done) => void (answer = done),
    };
    const queue = new WriteQueue(committer, new EngineTurn(systemClock), { full: () => undefined, committed: () => undefined, broken: () => undefined });
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
