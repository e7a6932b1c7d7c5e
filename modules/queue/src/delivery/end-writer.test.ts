import type { Logger, Settlement } from '@treadle/api';
import { type FakeClock, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { SettlementWriter } from './end-writer.js';

const settlement = (n: number): Settlement => ({ action: 'done', claim: { step: 'A', topic: 't', deliveryId: n, epoch: '' } });
const quiet = { error: () => undefined, warn: () => undefined } as unknown as Logger;

describe('ends that the store does not take', () => {
  let clock: FakeClock;
  let writer: SettlementWriter;
  /** Sizes of the calls since it was emptied last. */
  const calls: number[] = [];
  let written: number[];
  let refuses: (settlements: readonly Settlement[]) => boolean;
  let [underWay, most] = [0, 0];

  beforeEach(() => {
    clock = fakeClock();
    calls.length = 0;
    [written, refuses, underWay, most] = [[], () => false, 0, 0];
    const settleMany = async (settlements: readonly Settlement[]): Promise<boolean[]> => {
      calls.push(settlements.length);
      most = Math.max(most, underWay += 1);
      await Promise.resolve();
      underWay -= 1;
      if (refuses(settlements)) throw new Error('away');
      written.push(...settlements.map(({ claim }) => claim.deliveryId));
      return settlements.map(() => true);
    };
    const turn = { at: (_phase: string, run: () => void) => () => void queueMicrotask(run) };
    writer = new SettlementWriter({ adapter: { settleMany }, turn, clock, log: quiet } as unknown as ConstructorParameters<typeof SettlementWriter>[0]);
  });
  const end = async (from: number, count: number): Promise<void> => {
    for (let n = from; n < from + count; n += 1) writer.add(settlement(n));
    await clock.advance(0);
  };

  it('go in portions when it is back, one at a time, and a store that is away is asked for little', async () => {
    refuses = () => true;
    for (let n = 0; n < 2_000; n += 200) await end(n, 200);
    calls.length = 0;
    for (let n = 0; n < 20; n += 1) await clock.advance(250);
    expect([calls.length, calls[0], calls.at(-1)]).to.deep.equal([20, 500, 1]);
    refuses = () => false;
    calls.length = most = 0;
    await clock.advance(250);
    await writer.settled();
    expect(written.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 2_000 }, (_, n) => n));
    expect([most, Math.max(...calls)]).to.deep.equal([1, 500]);
  });

  it('do not keep others that it would take, and are tried again for ever', async () => {
    refuses = (settlements) => settlements.some(({ claim }) => claim.deliveryId === 7);
    await end(0, 100);
    for (let n = 0; n < 40; n += 1) await clock.advance(250);
    expect(written).to.have.length(99);
    await end(100, 1);
    expect(written).to.include(100);
    refuses = () => false;
    await clock.advance(250);
    await writer.settled();
    expect(written).to.have.length(101);
  });

  it('are given up when the engine stops', async () => {
    refuses = () => true;
    await end(0, 3);
    const settled = writer.settled();
    writer.close();
    await settled;
    calls.length = 0;
    await clock.advance(1_000);
    expect(calls).to.deep.equal([]);
  });
});
