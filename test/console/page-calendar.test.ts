import { expect } from 'chai';
import fc from 'fast-check';
import { calendarOf, type Tick } from '../../console/app/src/views/cron/calendar.js';

describe('the calendar of cron', () => {
  const ticks = fc.array(fc.record({ minute: fc.nat(7 * 24 * 60), second: fc.nat(59), step: fc.constantFrom('A', 'B', 'C') }), { maxLength: 60 }).map((some) => (
    some.map(({ minute, second, step }): Tick => ({ at: new Date(Date.UTC(2026, 10, 26, 0, minute, second)).toISOString(), step, trigger: 't' })).sort((a, b) => (a.at < b.at ? -1 : 1))));

  it('has every run in its hour, and a collision wherever two triggers share a minute', () => {
    fc.assert(fc.property(ticks, (items) => {
      const { days, collisions } = calendarOf(items, 'utc');
      expect(days.flatMap(({ hours }) => hours.flatMap((hour) => hour.ticks))).to.have.members(items);
      for (const { date, hours } of days) for (const [hour, { ticks: own }] of hours.entries()) for (const { at } of own) expect(at.slice(0, 13)).to.equal(`${date}T${String(hour).padStart(2, '0')}`);
      const minutes = new Map<string, Set<string>>();
      for (const { at, step } of items) minutes.set(at.slice(0, 16), (minutes.get(at.slice(0, 16)) ?? new Set()).add(step));
      expect(collisions.map(({ minute }) => minute.replace(' ', 'T'))).to.have.members([...minutes].filter(([, steps]) => steps.size > 1).map(([minute]) => minute));
      expect(days.reduce((sum, { hours }) => sum + hours.reduce((own, hour) => own + hour.collisions, 0), 0)).to.equal(collisions.length);
    }));
  });

  it('takes two runs of one trigger in a minute for no collision, and has days without a run in between', () => {
    const at = (text: string): Tick => ({ at: text, step: 'A', trigger: '*/20 * * * * *' });
    const { days, collisions } = calendarOf([at('2026-02-27T23:59:00.000Z'), at('2026-02-27T23:59:20.000Z'), at('2026-03-02T00:00:00.000Z')], 'utc');
    expect([days.map(({ date }) => date), collisions]).to.deep.equal([['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'], []]);
  });
});
