import { expect } from 'chai';
import fc from 'fast-check';
import { parseQuery, QueryError, type QueryNode, type QueryTarget, queryTest } from './index.js';

type Thing = Readonly<Record<string, unknown>>;

const TARGET: QueryTarget<Thing> = {
  known: { level: ['debug', 'info', 'warn', 'error'], duration: 'duration', spans: 'number', step: 'text', at: 'time' },
  values: (thing, field) => (Object.hasOwn(thing, field) ? [thing[field]].flat() : []),
  mentions: (text) => (thing) => JSON.stringify(thing).toLowerCase().includes(text.toLowerCase()),
};

const THINGS: Readonly<Record<string, Thing>> = {
  a: { level: 'info', step: 'Notify', duration: 150, spans: 3, 'http.status': 201, text: 'hello world' },
  b: { level: 'warn', step: 'NotifyLate', duration: 250, spans: 10, 'http.status': 503, topic: ['x', 'y'], error: 'Timeout: gone' },
  c: { level: 'error', step: 'Ship', duration: 61_000, spans: 1, at: Date.parse('2026-11-27T10:30:05.250Z'), id: '10:30', text: 'a OR b' },
};

describe('the query language', () => {
  const found = (query: string): string => {
    const { test } = queryTest(query, TARGET);
    return Object.keys(THINGS).filter((name) => test(THINGS[name] as Thing)).join('');
  };

  for (const [query, names] of [
    ['', 'abc'], ['  ', 'abc'], ['hello', 'a'], ['HELLO', 'a'], ['"hello world"', 'a'], ['"world hello"', ''], ['world hello', 'a'], ['-hello', 'bc'], ['-"hello world"', 'bc'],
    ['level:warn', 'b'], ['level:>=warn', 'bc'], ['level:>warn', 'c'], ['level:<=info', 'a'], ['level:WARN', 'b'], ['level:w*', 'b'],
    ['step:Notify', 'a'], ['step:notify*', 'ab'], ['step:*late', 'b'], ['step:N*y*', 'ab'], ['step:"Notify*"', ''], ['-step:Notify*', 'c'], ['step:*', 'abc'],
    ['duration:>200ms', 'bc'], ['duration:>1m', 'c'], ['duration:<0.2s', 'a'], ['duration:150ms', 'a'], ['spans:3', 'a'], ['spans:>=3', 'ab'], ['spans:-3', ''],
    ['http.status:5xx', 'b'], ['http.status:2xx', 'a'], ['http.status:>=500', 'b'], ['http.status:201', 'a'], ['http.status:"5xx"', ''],
    ['at:2026-11-27*', 'c'], ['at:>2026-11-27', 'c'], ['at:>=2026-11-27T10:30:05.250', 'c'], ['at:<2026-11-27T12:30:05+02:00', ''], ['at:*T10:3*', 'c'], ['has:error', 'b'], ['-has:error', 'ac'], ['topic:x', 'b'], ['topic:y', 'b'], ['topic:z', ''], ['id:10:30', 'c'], ['nowhere:1', ''], ['-nowhere:1', 'abc'],
    ['hello OR level:error', 'ac'], ['level:warn OR level:error spans:1', 'bc'], ['(level:warn OR level:error) spans:1', 'c'], ['level:>=warn AND -spans:1', 'b'],
    ['-(hello OR has:error)', 'c'], ['"a OR b"', 'c'], ['or', 'abc'], ['--hello', 'a'], ['step:"no\\"tify"', ''],
  ] as const) {
    it(`${query === '' ? 'nothing' : query} finds ${names === '' ? 'nothing' : names}`, () => expect(found(query)).to.equal(names));
  }

  for (const [query, at, message] of [
    ['a "b', [2, 4], 'the quote is not closed'], ['(a', [0, 1], 'there is no ")" for this "("'], ['a)', [1, 2], 'there is no "(" for this ")"'], ['()', [0, 2], 'nothing between the parentheses'],
    ['a OR', [2, 4], 'something must follow'], ['OR a', [0, 2], 'nothing before this OR'], ['step:', [0, 5], '"step:" needs a value'], ['step: Notify', [0, 5], '"step:" needs a value'],
    ['level:>', [0, 7], '"level:" needs a value'], [':x', [0, 1], 'a field\'s name must stand before'], ['a - b', [2, 3], '"-" must stand right before'],
    ['x level:loud', [8, 12], '"level" is one of debug, info, warn, error'], ['duration:>200', [10, 13], '"duration" is a duration with its unit'], ['spans:few', [6, 9], '"spans" is a number'],
    ['step:>Notify', [6, 12], '"step" is a text'], ['foo:>bar', [5, 8], 'compares with a number or a duration'],
  ] as const) {
    it(`${query} is refused where it is wrong`, () => {
      const error = ((): unknown => {
        try {
          return found(query);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).to.be.instanceOf(QueryError);
      const { at: { from, to }, message: text } = error as QueryError;
      expect([from, to]).to.deep.equal(at);
      expect(text).to.contain(message);
    });
  }

  it('names fields that not everything has, with their places', () => {
    expect(queryTest('level:warn custmer:1 OR has:foo', TARGET).otherFields).to.deep.equal([{ field: 'custmer', from: 11, to: 18 }, { field: 'foo', from: 28, to: 31 }]);
  });

  it('bounds what it reads', () => {
    expect(() => parseQuery('x'.repeat(2_001))).to.throw('at most 2000 characters');
    expect(() => parseQuery('a '.repeat(500))).to.throw('at most 400 parts');
    expect(() => parseQuery('('.repeat(40))).to.throw('within each other');
  });

  it('reads any text, or says within it what is wrong', () => {
    fc.assert(fc.property(fc.string({ maxLength: 40, unit: fc.constantFrom(...'ab:-()"\\ >=*x1OR'.split('')) }), (query) => {
      try {
        for (const at of placesOf(parseQuery(query))) expect(at.from).to.be.lessThan(at.to);
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        expect(error.at.from).to.be.within(0, query.length);
        expect(error.at.to).to.be.within(error.at.from, query.length);
      }
    }), { numRuns: 2_000 });
  });

  it('finds what is written in quotes, whatever it holds', () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }), (text) => {
      const quoted = `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
      expect(parseQuery(quoted)).to.deep.equal({ type: 'text', text, from: 0, to: quoted.length });
    }));
  });
});

function placesOf(node: QueryNode | undefined): readonly { readonly from: number; readonly to: number }[] {
  if (!node) return [];
  if ('parts' in node) return node.parts.flatMap(placesOf);
  return node.type === 'not' ? placesOf(node.part) : [node];
}
