import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { keepSeenTime, type TellableClock } from './seen-time.js';

const HOUR = 3_600_000;
/** Nothing is to be said. */
const log = {} as Logger;

describe('the time that an engine has seen', () => {
  let folder: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'treadle-seen-')); });
  afterEach(() => rmSync(folder, { recursive: true }));
  const seen = (): number => (JSON.parse(readFileSync(join(folder, 'clock.json'), 'utf8')) as { seen: number }).seen;

  /** `ahead`: of the wall clock. */
  function startClock(ahead: number): { readonly clock: ReturnType<typeof fakeClock> & TellableClock; readonly told: number[] } {
    const told: number[] = [];
    const clock = Object.assign(fakeClock(10 * HOUR), { notBefore: (time: number) => void told.push(time) });
    clock.wall = () => clock.now() - ahead;
    return { clock, told };
  }

  it('is what the next run does not begin before', () => {
    const first = startClock(0);
    keepSeenTime(folder, first.clock, log)();
    const { clock, told } = startClock(HOUR);
    keepSeenTime(folder, clock, log)();
    expect([first.told, told]).to.deep.equal([[], [10 * HOUR]]);
  });

  it('is written each minute, and each second while the wall clock is behind it', async () => {
    for (const [ahead, afterASecond] of [[0, 10 * HOUR], [HOUR, 10 * HOUR + 1_000]] as const) {
      const { clock } = startClock(ahead);
      const stop = keepSeenTime(folder, clock, log);
      await clock.advance(1_000);
      expect(seen()).to.equal(afterASecond);
      await clock.advance(59_000);
      expect(seen()).to.equal(10 * HOUR + 60_000);
      stop();
      expect(clock.pending).to.equal(0);
    }
    expect(statSync(join(folder, 'clock.json')).mode & 0o777).to.equal(0o600);
  });
});
