import { expect } from 'chai';
import { EntryCache } from './entry-cache.js';

const entry = (length: number, revision = 1) => ({ text: 'x'.repeat(length), revision, dueAt: null });

describe('the entry cache', () => {
  it('gives back the newest entry of a key and forgets what is deleted', () => {
    const cache = new EntryCache(1_000_000);
    cache.set('a', entry(1));
    cache.set('a', entry(2, 2));
    expect(cache.get('a')).to.deep.equal(entry(2, 2));
    cache.delete('a');
    expect(cache.get('a')).to.equal(undefined);
  });

  it('stays within its bytes however many keys come', () => {
    const cache = new EntryCache(100_000);
    for (let index = 0; index < 10_000; index += 1) cache.set(`k${index}`, entry(100));
    expect(cache.size).to.be.lessThan(100_000 / (100 * 2));
    expect(cache.size).to.be.greaterThan(50);
  });

  it('keeps what is used while others come and go', () => {
    const cache = new EntryCache(100_000);
    cache.set('used', entry(10));
    for (let index = 0; index < 10_000; index += 1) {
      cache.set(`k${index}`, entry(100));
      expect(cache.get('used')).to.deep.equal(entry(10));
    }
    expect(cache.get('k0')).to.equal(undefined);
  });

  it('never shows an old entry after a new one was set or the key deleted, across generations', () => {
    const cache = new EntryCache(2_000);
    cache.set('a', entry(1, 1));
    for (let index = 0; index < 3; index += 1) cache.set(`k${index}`, entry(200));
    cache.set('a', entry(1, 2));
    for (let index = 0; index < 2; index += 1) cache.set(`m${index}`, entry(200));
    expect(cache.get('a')?.revision ?? 2).to.equal(2);
    cache.delete('a');
    expect(cache.get('a')).to.equal(undefined);
  });
});
