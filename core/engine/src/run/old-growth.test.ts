import { expect } from 'chai';
import { OldGrowth } from './old-growth.js';

const MEGABYTE = 2 ** 20;

describe('OldGrowth', () => {
  let old = 30;
  let buffers = 4;
  let growth: OldGrowth;
  const since = (): number => growth.since() / MEGABYTE;
  beforeEach(() => {
    [old, buffers] = [30, 4];
    growth = new OldGrowth(() => ({ large: 0, old: old * MEGABYTE, buffers: buffers * MEGABYTE }));
  });

  it('counts what comes to the old generation and to buffers', () => {
    [old, buffers] = [50, 10];
    expect(since()).to.equal(26);
  });

  it('goes on counting when only a young collection took buffers away', () => {
    [old, buffers] = [50, 20];
    since();
    buffers = 12;
    expect(since()).to.equal(28);
    buffers = 20;
    expect(since()).to.equal(36);
  });

  it('counts from the last collection of all, and takes what it left for alive, also when that is more than before', () => {
    [old, buffers] = [300, 30];
    since();
    [old, buffers] = [200, 5];
    expect(since()).to.equal(0);
    expect(growth.alive).to.equal(200 * MEGABYTE);
    old = 207;
    expect(since()).to.equal(7);
  });

  it('does not take the rests of pages that are given back for a collection', () => {
    old = 50;
    since();
    old = 49.5;
    expect(since()).to.equal(19.5);
    expect(growth.alive).to.equal(30 * MEGABYTE);
  });
});
