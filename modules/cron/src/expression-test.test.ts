import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { testExpression } from './expression-test.js';

const test = (expression: string, timezone: string, from: string, count = '3'): readonly string[] => testExpression(fakeClock(), { expression, timezone, from, count }).next
  .map(({ at, local, dst }) => `${at} ${local}${dst === undefined ? '' : ` ${dst}`}`);

describe('the test of a cron expression', () => {
  it('tells the next ticks in UTC and in the time zone', () => {
    expect(test('30 9 * * 1-5', 'America/New_York', '2027-01-01T00:00:00Z', '2')).to.deep.equal([
      '2027-01-01T14:30:00.000Z 2027-01-01T09:30:00-05:00', '2027-01-04T14:30:00.000Z 2027-01-04T09:30:00-05:00',
    ]);
    expect(test('15 */5 * * * *', 'Asia/Kolkata', '2027-01-01T00:00:00Z', '1')).to.deep.equal(['2027-01-01T00:00:15.000Z 2027-01-01T05:30:15+05:30']);
    expect(testExpression(fakeClock(), { expression: '@daily' })).to.deep.include({ timezone: 'UTC' }).and.to.have.property('next').with.length(5);
  });

  it('begins with the time that is asked for', () => expect(test('0 0 * * *', 'UTC', '2027-01-01T00:00:00Z', '1')).to.deep.equal(['2027-01-01T00:00:00.000Z 2027-01-01T00:00:00+00:00']));

  it('marks a time that the clocks leave out, and the offset that is another one afterwards', () => {
    expect(test('30 2 * * *', 'Europe/Berlin', '2027-03-27T00:00:00Z')).to.deep.equal([
      '2027-03-27T01:30:00.000Z 2027-03-27T02:30:00+01:00', '2027-03-28T01:00:00.000Z 2027-03-28T03:00:00+02:00 shifted', '2027-03-29T00:30:00.000Z 2027-03-29T02:30:00+02:00',
    ]);
    expect(test('0 12 * * *', 'Europe/Berlin', '2027-03-27T00:00:00Z', '2')).to.deep.equal(['2027-03-27T11:00:00.000Z 2027-03-27T12:00:00+01:00', '2027-03-28T10:00:00.000Z 2027-03-28T12:00:00+02:00 changed']);
  });

  it('marks times that the clocks show twice', () => {
    expect(test('30 2 * * *', 'Europe/Berlin', '2027-10-31T00:00:00Z', '2')).to.deep.equal(['2027-10-31T00:30:00.000Z 2027-10-31T02:30:00+02:00 first', '2027-11-01T01:30:00.000Z 2027-11-01T02:30:00+01:00 changed']);
    expect(test('*/30 * * * *', 'Europe/Berlin', '2027-10-31T00:00:00Z', '5').map((line) => line.slice(25))).to.deep.equal([
      '2027-10-31T02:00:00+02:00 first', '2027-10-31T02:30:00+02:00 first', '2027-10-31T02:00:00+01:00 again', '2027-10-31T02:30:00+01:00 again', '2027-10-31T03:00:00+01:00',
    ]);
  });

  it('refuses with what to write instead', () => {
    for (const [query, said] of [
      [{}, '"expression" must be a cron expression'], [{ expression: 'x'.repeat(201) }, 'at most 200 characters'], [{ expression: '61 * * * *' }, '; '], [{ expression: '* * * *' }, '; '], [{ expression: '0 0 30 2 *' }, 'never happens'],
      [{ expression: '* * * * *', timezone: 'Berlin' }, 'write an IANA name such as Europe/Berlin'], [{ expression: '* * * * *', count: '0' }, '"count" must be a whole number from 1 to 100'], [{ expression: '* * * * *', from: 'soon' }, '"from" must be a time'],
    ] as const) expect(() => testExpression(fakeClock(), query), JSON.stringify(query)).to.throw(said);
  });
});
