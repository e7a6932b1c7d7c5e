import { expect } from 'chai';
import { type QueryTarget, queryTest } from '@treadle/api';
import { alsoAsking, withCondition } from '../../console/app/src/parts/with-condition.js';
import { queryOfGroup } from '../../console/app/src/views/traces/grouping.js';

type Thing = Readonly<Record<string, unknown>>;

const TARGET: QueryTarget<Thing> = { known: { duration: 'duration' }, values: (thing, field) => (field in thing ? [thing[field]] : []), mentions: (text) => (thing) => JSON.stringify(thing).includes(text) };
const fits = (query: string, thing: Thing): boolean => queryTest(query, TARGET).test(thing);

describe('queries that the page of the console writes', () => {
  for (const value of ['Notify', 'OR', 'AND', 'a b', '/files/*', '', '-1', '>5', 'say "a\\b"', 'first line\nsecond line\tat x', 'größe', '(', '10:30']) {
    it(`mean ${JSON.stringify(value)} and nothing else, as a value and as a field`, () => {
      const name = value === '' ? 'x' : value;
      expect([fits(withCondition('', 'x', value), { x: value }), fits(withCondition('', 'x', value), { x: `${value}s` }), fits(withCondition('', 'x', value, true), { x: value })]).to.deep.equal([true, false, false]);
      expect([fits(withCondition('', name, 'a'), { [name]: 'a' }), fits(withCondition('', name, 'a'), { [`${name}s`]: 'a' })]).to.deep.equal([true, false]);
    });
  }

  it('hold a condition for all of a query, also for one with alternatives', () => {
    const query = withCondition('status:a OR status:b', 'x', '1');
    expect([{ status: 'a', x: '1' }, { status: 'b', x: '1' }, { status: 'a', x: '2' }].map((thing) => fits(query, thing))).to.deep.equal([true, true, false]);
    expect(withCondition(query, 'y', '2')).to.equal(`${query} y:2`);
    expect(['', 'a', '(a OR b)', 'x:"1 OR 2"', 'a OR b', '(a) OR (b)'].map((one) => alsoAsking(one, 'c'))).to.deep.equal(['c', 'a c', '(a OR b) c', 'x:"1 OR 2" c', '(a OR b) c', '((a) OR (b)) c']);
  });

  it('find the traces of a group, whatever it is by', () => {
    for (const [by, value, thing] of [['duration', '12.5', { duration: 12.5 }], ['error', 'OR', { error: 'OR' }], ['error', 'E: no <n>', { error: 'E: no 5' }], ['my field', 'a', { 'my field': 'a' }], ['my field', 'cut o…', { 'my field': 'cut off' }]] as const) {
      expect(fits(queryOfGroup('nowhere OR q:1', by, value) ?? '', { ...thing, q: '1' }), `${by} ${value}`).to.equal(true);
      expect(fits(queryOfGroup('nowhere OR q:1', by, value) ?? '', { ...thing, q: '2' }), `${by} ${value}`).to.equal(false);
    }
  });
});
