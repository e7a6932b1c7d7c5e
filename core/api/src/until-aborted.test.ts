import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { untilAborted } from './until-aborted.js';

describe('untilAborted', () => {
  const never = new Promise<never>(() => undefined);

  it('waits for the work and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    await untilAborted(Promise.resolve(), signal);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('waits no longer than the signal allows', async () => {
    const controller = new AbortController();
    const waited = untilAborted(never, controller.signal);
    controller.abort();
    await waited;
    await untilAborted(never, controller.signal);
    await untilAborted(Promise.reject(new Error('too late')), controller.signal);
  });

  it('rejects as the work does', async () => {
    const { signal } = new AbortController();
    const error = new Error('no');
    expect(await untilAborted(Promise.reject(error), signal).catch((reason: unknown) => reason)).to.equal(error);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });
});
