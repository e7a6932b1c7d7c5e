import { expect } from 'chai';
import { bytesOf, heldOf } from './held-delivery.js';

describe('A delivery in memory', () => {
  it('weighs what its errors weigh, too', () => {
    const held = heldOf({ step: 'a', topic: 't' }, 1, { id: 'm', topic: 't', kind: 'queue', data: '1', traceparent: 'tp', hops: 0, enqueuedAt: 1 });
    const tried = { ...held, progress: { attempts: 10, deaths: 0, history: 'e'.repeat(20_000) } };
    expect(bytesOf(tried) - bytesOf(held)).to.equal(20_000);
  });
});
