import { expect } from 'chai';
import { Claims } from './claims.js';
import { heldOf } from './held-delivery.js';

const message = { id: 'm', topic: 't', to: undefined, kind: 'queue', data: '1', headers: undefined, traceparent: '', hops: 0, enqueuedAt: 0, dueAt: undefined, dedupeKey: undefined, groupId: undefined } as const;
const held = (number: number): ReturnType<typeof heldOf> => heldOf({ step: 'A', topic: 't' }, number, message);

describe('Claims', () => {
  it('find deliveries whose numbers share a slot, and those beyond 32 bits', () => {
    const claims = new Claims();
    const numbers = [1, 513, 1025, 2 ** 40 + 1, 2 ** 40 + 2];
    const deliveries = numbers.map(held);
    for (const delivery of deliveries) claims.add(delivery);
    expect(numbers.map((number) => claims.get(number))).to.deep.equal(deliveries);
    expect(claims.size).to.equal(5);
    expect(claims.all()).to.have.members(deliveries);
  });

  it('forget one alone, whether it has the slot or not, and take another in its place', () => {
    const claims = new Claims();
    const [first, second, third] = [held(1), held(513), held(1025)];
    claims.add(first);
    claims.add(second);
    claims.delete(1);
    claims.delete(1);
    claims.add(third);
    expect([1, 513, 1025].map((number) => claims.has(number))).to.deep.equal([false, true, true]);
    claims.delete(513);
    expect(claims.all()).to.deep.equal([third]);
    expect(claims.size).to.equal(1);
  });
});
