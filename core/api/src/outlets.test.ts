import { expect } from 'chai';
import { blocking, openOutlet } from './outlets.js';

describe('outlets', () => {
  it('are flushed before the loop is blocked, and once what came of it has arrived', async () => {
    const events: string[] = [];
    const close = openOutlet({ flush: () => events.push('flush') });
    const answered = new Promise<void>((resolve) => {
      blocking(() => {
        events.push('work');
        resolve();
      });
    });
    await answered.then(() => undefined).then(() => undefined);
    events.push('answer');
    await new Promise((resolve) => setImmediate(resolve));
    close();
    expect(events).to.deep.equal(['flush', 'work', 'answer', 'flush']);
  });

  it('are left alone once they are closed', () => {
    let flushes = 0;
    openOutlet({ flush: () => flushes++ })();
    blocking(() => undefined);
    expect(flushes).to.equal(0);
  });
});
