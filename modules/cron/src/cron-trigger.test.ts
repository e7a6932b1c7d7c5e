import { expect } from 'chai';
import fc from 'fast-check';
import { CRON_TRIGGER_KIND, cronTriggerIssues, triggerIdOf } from './cron-trigger.js';
import { randomExpressions } from './schedule/oracle.fixture.js';
import { Schedule } from './schedule/schedule.js';

const issues = (expression: string, timezone?: string): string[] =>
  cronTriggerIssues({ type: 'cron', expression, ...timezone === undefined ? {} : { timezone } }).map(({ key, code, message, remedy }) => `${key} ${code}: ${message}; ${remedy}`);
const first = (expression: string, count = 3): string[] => {
  const schedule = Schedule.of(expression, 'UTC');
  const ticks: string[] = [];
  for (let tick = schedule.next(Date.UTC(2026, 0, 1) - 1); tick !== undefined && ticks.length < count; tick = schedule.next(tick)) ticks.push(new Date(tick).toISOString().slice(0, 19));
  return ticks;
};

describe('cron triggers', () => {
  const good: readonly (readonly [string, readonly string[]])[] = [
    ['@daily', ['2026-01-01T00:00:00', '2026-01-02T00:00:00', '2026-01-03T00:00:00']],
    ['@HOURLY', ['2026-01-01T00:00:00', '2026-01-01T01:00:00', '2026-01-01T02:00:00']],
    ['@weekly', ['2026-01-04T00:00:00', '2026-01-11T00:00:00', '2026-01-18T00:00:00']],
    ['@monthly', ['2026-01-01T00:00:00', '2026-02-01T00:00:00', '2026-03-01T00:00:00']],
    ['@yearly', ['2026-01-01T00:00:00', '2027-01-01T00:00:00', '2028-01-01T00:00:00']],
    ['  0   12 *  * 7 ', ['2026-01-04T12:00:00', '2026-01-11T12:00:00', '2026-01-18T12:00:00']],
    ['0 0 * * sat-sun', ['2026-01-03T00:00:00', '2026-01-04T00:00:00', '2026-01-10T00:00:00']],
    ['0 0 * * 5-7', ['2026-01-02T00:00:00', '2026-01-03T00:00:00', '2026-01-04T00:00:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00:00', '2032-02-29T00:00:00', '2036-02-29T00:00:00']],
    ['0 0 ? JAN MON', ['2026-01-05T00:00:00', '2026-01-12T00:00:00', '2026-01-19T00:00:00']],
    ['0 0 13 * FRI', ['2026-01-02T00:00:00', '2026-01-09T00:00:00', '2026-01-13T00:00:00']],
    ['*/20 59 23 31 12 *', ['2026-12-31T23:59:00', '2026-12-31T23:59:20', '2026-12-31T23:59:40']],
    ['0 0 12 1 1 ? 2027-2028', ['2027-01-01T12:00:00', '2028-01-01T12:00:00']],
    ['*/30 0 0 * * MON *', ['2026-01-05T00:00:00', '2026-01-05T00:00:30', '2026-01-12T00:00:00']],
    ['0 0 0 1 1 * 2025', []],
    ['5/25 0 1 1 *', ['2026-01-01T00:05:00', '2026-01-01T00:30:00', '2026-01-01T00:55:00']],
  ];
  for (const [expression, ticks] of good) {
    it(`takes "${expression}"`, () => {
      expect(issues(expression)).to.deep.equal([]);
      expect(first(expression)).to.deep.equal(ticks);
    });
  }

  const bad: readonly (readonly [string, string])[] = [
    ['', 'the expression "" has 0 fields; 5, 6 or 7 are needed'],
    ['* * * *', 'the expression "* * * *" has 4 fields; 5, 6 or 7 are needed'],
    ['* * * * * * * *', 'the expression "* * * * * * * *" has 8 fields; 5, 6 or 7 are needed'],
    ['60 * * * *', 'minute field "60": "60" is not a valid minute; write 0-59'],
    ['* 24 * * *', 'hour field "24": "24" is not a valid hour; write 0-23'],
    ['* * 0 * *', 'day of month field "0": "0" is not a valid day of month; write 1-31'],
    ['* * L * *', 'day of month field "L": "L" is not a valid day of month; write 1-31'],
    ['* * * 13 *', 'month field "13": "13" is not a valid month; write 1-12 or JAN-DEC'],
    ['* * * * 8', 'day of week field "8": "8" is not a valid day of week; write 0-7 or SUN-SAT'],
    ['* * * * MON#1', 'day of week field "MON#1": "MON#1" is not a valid day of week; write 0-7 or SUN-SAT'],
    ['*/0 * * * *', 'minute field "*/0": step "0" is not a whole number from 1 to 60'],
    ['*/90 * * * *', 'minute field "*/90": step "90" is not a whole number from 1 to 60'],
    ['30-10 * * * *', 'minute field "30-10": range "30-10" ends before it begins; write two ranges, e.g. 30-59,0-10'],
    ['1,,2 * * * *', 'minute field "1,,2": a value is missing'],
    ['-1 * * * *', 'minute field "-1": a value is missing'],
    ['1/2/3 * * * *', 'minute field "1/2/3": "1/2/3" has two steps'],
    ['? * * * *', 'minute field "?": "?" is not a valid minute'],
    ['@reboot', '"@reboot" is not known; write one of @yearly'],
    ['0 0 31 2,4,6 *', '"0 0 31 2,4,6 *" never happens: no month of "2,4,6" has a day of "31"'],
    ['0 0 30 2 *', '"0 0 30 2 *" never happens'],
  ];
  for (const [expression, text] of bad) {
    it(`refuses "${expression}"`, () => {
      const [issue, ...more] = issues(expression);
      expect(more).to.deep.equal([]);
      expect(issue).to.contain(`expression STEP_BAD_CRON: ${text}`);
    });
  }

  it('refuses a time zone that is not known, and says both faults at once', () => {
    expect(issues('* * * * *', 'Europe/Berlin')).to.deep.equal([]);
    expect(issues('bad', 'Mars/Olympus')).to.deep.equal([
      'expression STEP_BAD_CRON: the expression "bad" has 1 field; 5, 6 or 7 are needed; write minute hour day-of-month month day-of-week, with seconds before them if wanted, and then a year after them if wanted',
      'timezone STEP_BAD_TIMEZONE: "Mars/Olympus" is not a time zone that is known here; write an IANA name such as Europe/Berlin, or UTC',
    ]);
  });

  it('knows a trigger again by its expression and zone, whatever its blanks', () => {
    expect(triggerIdOf({ type: 'cron', expression: ' 0  0 * * mon' })).to.equal(triggerIdOf({ type: 'cron', expression: '0 0 * * MON', timezone: 'UTC' }));
    expect(triggerIdOf({ type: 'cron', expression: '0 0 * * MON', timezone: 'Asia/Tokyo' })).to.equal('0 0 * * MON Asia/Tokyo');
    expect(CRON_TRIGGER_KIND.label?.({ type: 'cron', expression: '@daily' })).to.equal('cron @daily UTC');
  });

  it('answers 10,000 fuzzed expressions with ticks or a clear issue, and never throws', function () {
    this.timeout(180_000);
    const word = fc.constantFrom('*', '?', '0', '7', '31', '59', '60', '99999999', 'MON', 'jan', 'L', 'W', '#', '-', '/', ',', '*/5', '1-5', '5-1', '0-0', '', 'é', '\u0000', '__proto__', '1e3', '+1', '0x1', '-0', 'NaN');
    const field = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(''));
    const nearlyValid = fc.tuple(fc.nat(), fc.boolean(), fc.option(fc.tuple(fc.nat({ max: 20 }), word), { freq: 2 })).map(([seed, seconds, change]) => {
      const [text = ''] = randomExpressions(1, { seed, seconds });
      return change ? text.slice(0, change[0]) + change[1] + text.slice(change[0] + 1) : text;
    });
    const expression = fc.oneof(
      { weight: 5, arbitrary: nearlyValid },
      { weight: 4, arbitrary: fc.array(field, { minLength: 4, maxLength: 8 }).map((fields) => fields.join(' ')) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) }, { weight: 1, arbitrary: fc.string().map((text) => `@${text}`) },
    );
    let valid = 0;
    fc.assert(fc.property(expression, (text) => {
      const [issue] = cronTriggerIssues({ type: 'cron', expression: text });
      if (issue) {
        expect([issue.code, issue.key]).to.deep.equal(['STEP_BAD_CRON', 'expression']);
        expect(issue.message.length * issue.remedy.length).to.be.greaterThan(0);
        return;
      }
      valid += 1;
      const schedule = Schedule.of(text, 'Europe/Berlin');
      const tick = schedule.next(Date.UTC(2026, 0, 1));
      expect(tick).to.be.a('number');
      expect(schedule.previous((tick ?? 0) + 1)).to.equal(tick);
    }), { numRuns: 10_000, seed: 7 });
    expect(valid).to.be.greaterThan(1_000);
  });

  it('is quick with hostile expressions', () => {
    const hostile = ['*'.repeat(50_000), `${'1,'.repeat(25_000)}1 * * * *`, `${'* '.repeat(25_000)}`, `${'-'.repeat(50_000)} * * * *`, `@${'a'.repeat(50_000)}`, `*/${'9'.repeat(400)} * * * *`,
      `${'*/1,'.repeat(100)}* * * * *`, ' '.repeat(50_000), '0 0 29 2 */7', '59 59 23 31 12 0'];
    for (const expression of hostile) {
      const began = process.cpuUsage();
      const found = issues(expression);
      if (found.length === 0) Schedule.of(expression, 'America/New_York').previous(Date.UTC(2026, 0, 1));
      expect(process.cpuUsage(began).user, `microseconds of ${expression.slice(0, 40)}`).to.be.below(1_000_000);
      expect(found.join('').length).to.be.lessThan(1_000);
    }
  });
});
