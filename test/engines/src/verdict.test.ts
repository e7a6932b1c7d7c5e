import { expect } from 'chai';
import { journalOf, numbersOf } from './journal.js';
import { countedOf, disorderOf, lostOf, repeatedOf, ticksOf } from './verdict.js';

const ACKNOWLEDGED = new Map([['a', [0, 2, 3]]]);
const journal = (...lines: readonly string[]): ReturnType<typeof journalOf> => journalOf(lines.map((line) => `${line}\n`).join(''));
const ran = (n: number): readonly string[] => [`began ordered a ${n}`, `ended ordered a ${n}`];

describe('the verdict on several engines', () => {
  it('finds acknowledged messages that were not handled, and counts repetitions', () => {
    const lines = journal(...ran(0), ...ran(1), ...ran(2), ...ran(0), 'began ordered a 3');
    expect(lostOf(ACKNOWLEDGED, numbersOf(lines, 'ended', 'ordered'))).to.deep.equal(['a 3']);
    expect(repeatedOf(numbersOf(lines, 'began', 'ordered'))).to.equal(1);
  });

  it('accepts a message that runs again before the next one, and any order of what was not acknowledged', () => {
    expect(disorderOf(ACKNOWLEDGED, journal('began ordered a 0', ...ran(0), ...ran(2), ...ran(3), ...ran(1)))).to.deep.equal([]);
  });

  it('finds a message that did not wait for the one before it, and one that came back', () => {
    expect(disorderOf(ACKNOWLEDGED, journal('began ordered a 0', ...ran(2)))).to.deep.equal(['a 2 began before 0 had ended']);
    expect(disorderOf(ACKNOWLEDGED, journal(...ran(0), ...ran(2), ...ran(0)))).to.deep.equal(['a 0 began after 2']);
  });

  it('finds ticks that nobody ran, and those that two engines ran', () => {
    const ticks = journal('tick a 1000 1', 'tick b 1000 1', 'tick a 2000 1', 'tick a 2000 1', 'tick b 2000 1', 'tick a 4000 1', 'tick a 4000 2', 'tick b 3000 1');
    expect(ticksOf(ticks, ['a', 'b'], 900, 4_100)).to.deep.equal({ expected: 8, missing: ['a 3000', 'b 4000'], cut: 1, twice: ['a 2000'] });
  });

  it('finds counters that are wrong', () => {
    const began = new Map([['a', [1, 2, 2]]]);
    expect(countedOf(began, { seen: { a: 2 }, counts: { a: 2 } }, true)).to.deep.equal({ surplus: 0, faults: [] });
    expect(countedOf(began, { seen: { a: 2 }, counts: { a: 3 } }, false)).to.deep.equal({ surplus: 1, faults: [] });
    expect(countedOf(began, { seen: { a: 2 }, counts: { a: 3 } }, true).faults).to.have.length(1);
    expect(countedOf(began, { seen: { a: 1 }, counts: { a: 4 } }, false).faults).to.have.length(2);
    expect(countedOf(began, { seen: { a: 2 }, counts: { a: 1 } }, false).faults).to.have.length(1);
  });
});
