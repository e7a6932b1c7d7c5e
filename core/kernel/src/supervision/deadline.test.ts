import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { systemClock } from '../clock.js';
import { NEVER, withDeadline } from './deadline.js';

const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('withDeadline', () => {
  it('does not call late what was done while the event loop stood still', async () => {
    const outcome = withDeadline({ clock: systemClock, ms: 100, giveUp: NEVER }, async () => void await readFile(import.meta.filename));
    standStill(300);
    expect(await outcome).to.equal('done');
  });

  it('is late after its time', async () => {
    expect(await withDeadline({ clock: systemClock, ms: 20, giveUp: NEVER }, () => new Promise<void>(() => undefined))).to.equal('late');
  });
});
