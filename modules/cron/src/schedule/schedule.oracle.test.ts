import { expect } from 'chai';
import { bruteForce, randomExpressions, WallClock } from './oracle.fixture.js';
import { CronSyntaxError } from './field-set.js';
import { Schedule } from './schedule.js';

/** An hour; half an hour on the other hemisphere; midnight; clocks that go back for a month; no change at all. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Africa/Casablanca', 'Asia/Kolkata'];
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const YEAR = { from: Date.UTC(2026, 0, 1), until: Date.UTC(2027, 0, 1) };

const PLAIN = [
  '* * * * *', '*/15 * * * *', '0 * * * *', '30 * * * *', '30 2 * * *', '0 2 * * *', '15,45 1-3 * * *', '*/20 2 * * *', '0 */2 * * *', '30 0-23 * * *',
  '0 0 * * *', '59 23 * * *', '0 0 1 * *', '0 0 31 * *', '0 3 29 2 *', '0 0 13 * 5', '0 0 */2 * 1', '0 0 1 * */2', '0 12 * * MON-FRI', '0 12 * * sat,SUN',
  '0 0 * * 7', '0 0 * * 0', '5/20 4 * * *', '0 0 * MAR,oct FRI-SUN', '0 1 * 3,10 *', '*/7 */5 * * *', '10 0,1,2,3 25-31 3,10 0', '0 0 15 1-12/3 *',
];
/** Looking at every minute of a year takes long. */
const YEARLY = ['30 2 * * *', '0 3 29 2 *', '0 0 31 * *', '0 0 13 * 5', '0 0 */2 * 1', '0 12 * * MON-FRI', '10 0,1,2,3 25-31 3,10 0'];
const WITH_SECONDS = ['* * * * * *', '*/10 * * * * *', '0 30 2 * * *', '15,45 30 2 * * *', '*/20 59 1 * * *', '30 */15 1-3 * * *', '0 0 0 * * *', '59 59 23 * * SAT'];

/** Where the clocks of a zone change in 2026. */
function changes(clock: WallClock): number[] {
  const found: number[] = [];
  for (let time = YEAR.from; time < YEAR.until; time += 15 * MINUTE) {
    if (clock.at(time) - clock.at(time - 15 * MINUTE) !== 15 * MINUTE) found.push(time);
  }
  return found;
}

function ticks(expression: string, zone: string, { from, until }: { from: number; until: number }): number[] {
  const schedule = Schedule.of(expression, zone);
  const found: number[] = [];
  for (let tick = schedule.next(from - 1); tick !== undefined && tick < until; tick = schedule.next(tick)) found.push(tick);
  return found;
}

const shown = (times: readonly number[]): string[] => times.map((time) => new Date(time).toISOString());

describe('schedules beside a brute-force oracle', function () {
  this.timeout(120_000);

  for (const zone of ZONES) {
    const clock = new WallClock(zone);
    const days = [...changes(clock), Date.UTC(2026, 1, 28), Date.UTC(2026, 5, 30)].map((time) => ({ from: time - 1.5 * DAY, until: time + 1.5 * DAY, step: MINUTE }));
    const hours = [...changes(clock), Date.UTC(2026, 11, 31, 23)].map((time) => ({ from: time - 2 * HOUR, until: time + 3 * HOUR, step: SECOND }));

    it(`has the ticks of 200 expressions around every change of the clocks in ${zone}`, () => {
      for (const expression of [...PLAIN, ...possible(randomExpressions(260, { seed: zone.length, seconds: false }))].slice(0, 200)) {
        for (const range of days) expect(shown(ticks(expression, zone, range)), expression).to.deep.equal(shown(bruteForce(expression, clock, range)));
      }
    });

    it(`has the ticks of expressions with seconds there in ${zone}`, () => {
      for (const expression of [...WITH_SECONDS, ...possible(randomExpressions(30, { seed: 3, seconds: true }))]) {
        for (const range of hours) expect(shown(ticks(expression, zone, range)), expression).to.deep.equal(shown(bruteForce(expression, clock, range)));
      }
    });

    it(`has the ticks of a whole year in ${zone}, and finds them backwards too`, () => {
      for (const expression of YEARLY) {
        const expected = bruteForce(expression, clock, { ...YEAR, step: MINUTE });
        expect(ticks(expression, zone, YEAR), expression).to.deep.equal(expected);
        const schedule = Schedule.of(expression, zone);
        expected.slice(1, 60).forEach((tick, index) => expect(schedule.previous(tick), expression).to.equal(expected[index]));
      }
    });
  }
});

/** Random months and days may never meet; that is found out when it is read. */
function possible(expressions: readonly string[]): string[] {
  return expressions.filter((expression) => {
    try {
      Schedule.of(expression, 'UTC');
      return true;
    } catch (error) {
      if (error instanceof CronSyntaxError && error.message.includes('never happens')) return false;
      throw error;
    }
  });
}
