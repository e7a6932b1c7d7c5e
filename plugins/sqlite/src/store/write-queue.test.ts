import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Committer } from './committer.js';
import { WriteQueue } from './write-queue.js';

function recording(): { readonly queue: WriteQueue; readonly groups: (readonly string[])[] } {
  const groups: (readonly string[])[] = [];
  const committer: Committer = {
    kind: 'loop', onEnd: undefined, tidy: () => undefined, close: () => Promise.resolve(), abandon: () => undefined,
    commit: (requests, done) => {
      groups.push(requests.map(({ operation }) => operation));
      done({ outcomes: requests.map(() => ({ ok: true, value: undefined })) });
    },
  };
  return { groups, queue: new WriteQueue(committer, { full: () => undefined, committed: () => undefined, broken: () => undefined }) };
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
    const { queue, groups } = recording();
    write(queue, 'earlier');
    for (const operation of ['a', 'b']) {
      write(queue, operation);
      queue.endTurn();
    }
    expect(groups).to.deep.equal([]);
    await Promise.resolve();
    expect(groups).to.deep.equal([['earlier', 'a', 'b']]);
    await nextTurn();
    expect(groups).to.have.length(1);
  });

  it('keeps what nobody waits for until something else is committed', async () => {
    const { queue, groups } = recording();
    queue.addPatient({ operation: 'patient', rows: [] }, () => undefined);
    await nextTurn();
    expect(groups).to.deep.equal([]);
    write(queue, 'a');
    await nextTurn();
    expect(groups).to.deep.equal([['patient', 'a']]);
  });

  it('commits what nobody waits for alone when nothing else comes', async () => {
    const { queue, groups } = recording();
    await new Promise<void>((resolve) => queue.addPatient({ operation: 'patient', rows: [] }, () => resolve()));
    expect(groups).to.deep.equal([['patient']]);
    expect(queue.quiet).to.equal(true);
  });

  it('commits what nobody waits for at once when it is to be empty', async () => {
    const { queue, groups } = recording();
    queue.addPatient({ operation: 'patient', rows: [] }, () => undefined);
    await queue.drained();
    expect(groups).to.deep.equal([['patient']]);
  });
});
