import { join } from 'node:path';
import { expect } from 'chai';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { AdaptiveCommitter } from './adaptive-committer.js';
import type { Committer } from './committer.js';
import { openStore } from './open-store.js';

const put = (key: string) => ({ operation: 'state.put', rows: [['g', key, '1', 1, null]] });
const turn = () => new Promise((resolve) => void setTimeout(resolve, 1));

describe('a store on a disk that becomes slow', () => {
  for (const driver of DRIVERS) {
    it(`goes over to a writer thread without losing a write or its order (${driver.name})`, async () => {
      const around = surroundings();
      const file = join(freshFolder(), 'a.db');
      const store = await openStore({ file, durability: 'full', driver, commits: 'loop', loopLimitMs: 0, ...around });
      expect(store.commitsOn).to.equal('loop');
      let written = 0;
      const order: number[] = [];
      for (; store.commitsOn === 'loop' && written < 20_000; written += 1) {
        const mine = written;
        await store.apply(put(`k${written}`)).then(() => order.push(mine));
      }
      expect(store.commitsOn).to.equal('thread');
      expect(around.log.lines.at(-1)?.message).to.equal('store commits in a thread from now on: the disk has become slow');
      for (let more = 0; more < 50; more += 1) await store.apply(put(`k${written + more}`));
      expect(order).to.deep.equal(order.map((_, index) => index));
      expect(store.reads.prepare('SELECT count(*) AS n FROM state_entries').get()?.['n']).to.equal(written + 50);
      expect((await errorOf(() => store.reads.exec('DELETE FROM state_entries'))).message).to.match(/readonly/);
      await store.close();
      await (await openStore({ file, durability: 'full', driver, commits: 'loop', ...surroundings() })).close();
    });
  }

  it('knows in the thread what the loop moved into the file while the thread started', async () => {
    const around = surroundings();
    const file = join(freshFolder(), 'a.db');
    const store = await openStore({ file, durability: 'full', commits: 'loop', loopLimitMs: 0, ...around });
    const faults: string[] = [];
    store.join({ instance: { path: 'test' }, fatal: (error: Error) => void faults.push(error.message), report: () => undefined } as unknown as Parameters<typeof store.join>[0], 'full');
    const large = JSON.stringify('v'.repeat(30_000));
    const write = (index: number) => store.apply({ operation: 'state.put', rows: [['g', `k${index % 100}`, large, index, null]] });
    let written = 0;
    for (; store.commitsOn === 'loop'; written += 1) await write(written);
    for (let round = 0; round < 10; round += 1) {
      await write(written += 1);
      await around.clock.advance(2_500);
      await turn();
    }
    await store.close();
    expect(faults).to.deep.equal([]);
    await (await openStore({ file, durability: 'full', commits: 'loop', ...surroundings() })).close();
  });

  it('stays on the loop while commits are quick', async () => {
    const store = await openStore({ file: join(freshFolder(), 'a.db'), durability: 'full', commits: 'loop', loopLimitMs: 60_000, ...surroundings() });
    for (let index = 0; index < 200; index += 1) await store.apply(put(`k${index}`));
    expect(store.commitsOn).to.equal('loop');
    await store.close();
  });

  it('goes on with the loop when the thread cannot start, and tries again', async () => {
    let tried = 0;
    const told: string[] = [];
    const loop: Committer = {
      kind: 'loop', onEnd: undefined, tidy: () => undefined, look: () => undefined, close: async () => Promise.resolve(), abandon: () => undefined, commit: (_requests, done) => done({ outcomes: [] }),
    };
    const startThread = async (): Promise<Committer> => {
      tried += 1;
      return Promise.reject(new Error('no threads left'));
    };
    const committer = new AdaptiveCommitter({ loop, startThread, limitMs: -1, onSwitch: () => undefined, onStay: ({ message }) => void told.push(message) });
    let done = 0;
    for (let index = 0; index < 64 * 3; index += 1) {
      committer.commit([], () => void (done += 1));
      await turn();
    }
    expect([done, tried, committer.kind]).to.deep.equal([192, 3, 'loop']);
    expect(told).to.deep.equal(Array(3).fill('no threads left'));
    await committer.close();
  });
});
