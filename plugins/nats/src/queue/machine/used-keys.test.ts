import { expect } from 'chai';
import type { WireMessage } from './commands.js';
import { UsedKeys } from './used-keys.js';

const HOUR_MS = 60 * 60 * 1_000;

function messageOf(id: string, enqueuedAt: number, dedupeKey = id): WireMessage {
  return { id, topic: 't', enqueuedAt, dedupeKey, body: 0 };
}

describe('the keys that were used', () => {
  it('are forgotten after a day, also behind one of an engine whose clock is far ahead', () => {
    const keys = new UsedKeys();
    keys.use(messageOf('ahead', 1_000 * HOUR_MS), HOUR_MS);
    keys.use(messageOf('next', 2 * HOUR_MS), 2 * HOUR_MS);
    keys.forget(24 * HOUR_MS);
    expect(keys.all.size).to.equal(2);
    keys.forget(26 * HOUR_MS);
    expect(keys.all.size).to.equal(0);
  });

  it('hold against a repeat of such an engine', () => {
    const keys = new UsedKeys();
    keys.use(messageOf('first', 1_000 * HOUR_MS, 'k'), HOUR_MS);
    expect(keys.firstId(messageOf('again', 1_001 * HOUR_MS, 'k'), 2 * HOUR_MS, new Map())).to.equal('first');
    expect(keys.firstId(messageOf('later', 26 * HOUR_MS, 'k'), 26 * HOUR_MS, new Map())).to.equal('later');
  });
});
