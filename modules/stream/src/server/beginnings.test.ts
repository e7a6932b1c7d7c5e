import { expect } from 'chai';
import { Beginnings } from './beginnings.js';

const MB = 1024 * 1024;

describe('beginnings of subscriptions', () => {
  it('wait for room, first come first served, and one alone may have any size', async () => {
    const [beginnings, began] = [new Beginnings(), [] as number[]];
    const take = (mb: number): void => {
      const wait = beginnings.take(mb * MB);
      if (wait) void wait.then(() => began.push(mb));
      else began.push(mb);
    };
    for (const mb of [100, 30, 30, 5, 1]) take(mb);
    expect([began, beginnings.crowded]).to.deep.equal([[100], true]);
    expect(beginnings.take(1000)).to.equal(undefined);
    beginnings.give(1000);
    beginnings.give(100 * MB);
    await Promise.resolve();
    expect([began, beginnings.crowded]).to.deep.equal([[100, 30, 30], true]);
    beginnings.give(30 * MB);
    await Promise.resolve();
    expect([began, beginnings.crowded]).to.deep.equal([[100, 30, 30, 5, 1], false]);
    take(28);
    expect(began.at(-1)).to.equal(28);
  });
});
