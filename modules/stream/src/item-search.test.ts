import type { AdminError, Json, StreamEvent } from '@treadle/api';
import { expect } from 'chai';
import { eventTest, itemPage, MOST_EXAMINED } from './item-search.js';

const GROUP = { stream: 'board', groupId: 'open' };
const item = (id: string, value: Json, revision = 1) => ({ id, value, revision });
const ITEMS = [item('b', { status: 'open', customer: { id: 'c-1' }, id: 'own' }), item('a', { status: 'done', total: 12 }, 3), item('c', 'Zürich')];

describe('a search in a stream', () => {
  const cases: readonly (readonly [q: string, ids: readonly string[]])[] = [
    ['status:open', ['b']], ['customer.id:c-1', ['b']], ['id:a OR id:c', ['a', 'c']], ['value.id:own', ['b']], ['total:>10', ['a']], ['revision:>1', ['a']], ['group:open stream:board zürich', ['c']], ['value:zürich', ['c']], ['group:other', []],
  ];
  for (const [q, ids] of cases) {
    it(`finds items by ${q}`, () => {
      const { items, examined, cursor } = itemPage(GROUP, ITEMS, { q });
      expect([items.map(({ id }) => id), examined, cursor]).to.deep.equal([ids, 3, undefined]);
    });
  }

  it('gives all without a query, and says nothing of how many it looked at', () => {
    expect(itemPage(GROUP, ITEMS, { limit: '2' })).to.deep.equal({ items: [ITEMS[1], ITEMS[0]], cursor: 'b' });
    expect(itemPage(GROUP, ITEMS, { limit: '2', cursor: 'b' })).to.deep.equal({ items: [ITEMS[2]] });
  });

  it('looks at a part of many at a time, and goes on where it stopped', () => {
    const many = Array.from({ length: MOST_EXAMINED + 5 }, (_, at) => item(String(at).padStart(6, '0'), { n: at }));
    const first = itemPage(GROUP, many, { q: `n:${MOST_EXAMINED + 2}` });
    expect([first.items, first.examined]).to.deep.equal([[], MOST_EXAMINED]);
    const rest = itemPage(GROUP, many, { q: `n:${MOST_EXAMINED + 2}`, cursor: first.cursor ?? '' });
    expect([rest.items.length, rest.examined, rest.cursor]).to.deep.equal([1, 5, undefined]);
  });

  it('takes events by where, what and when they are', () => {
    const at = { stream: 'board', groupId: 'open', epoch: 'e', seq: 7, timestamp: Date.parse('2026-11-27T12:00:00Z') };
    const created: StreamEvent = { ...at, id: 'a', event: { type: 'create', data: { status: 'open', type: 'ticket' } } };
    const sent: StreamEvent = { ...at, event: { type: 'event', event: { type: 'alarm', data: { room: 'Zürich' } } } };
    for (const [q, fits] of [['type:create', [true, false]], ['type:alarm', [false, true]], ['has:id', [true, false]], ['status:open', [true, false]], ['data.type:ticket', [true, false]], ['zürich', [false, true]], ['time:2026-11-27* seq:7', [true, true]], ['group:shut', [false, false]]] as const) {
      expect([created, sent].map((one) => eventTest(q)?.(one)), q).to.deep.equal(fits);
    }
    expect(eventTest(undefined)).to.equal(undefined);
  });

  it('refuses what cannot be read, with the characters that are wrong', () => {
    try {
      itemPage(GROUP, ITEMS, { q: 'status:open revision:x' });
      expect.fail('it was read');
    } catch (error) {
      const { status, code, at } = error as AdminError;
      expect({ status, code, at }).to.deep.equal({ status: 400, code: 'invalid_query', at: { from: 21, to: 22 } });
    }
  });
});
