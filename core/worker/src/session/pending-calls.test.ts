import { expect } from 'chai';
import { PendingCalls } from './pending-calls.js';

describe('PendingCalls', () => {
  it('settles each call by its number, also one that others have overtaken a thousand times', async () => {
    const calls = new PendingCalls();
    const early = calls.add();
    const later = Array.from({ length: 5_000 }, () => calls.add());
    for (const { call } of later) calls.settle({ type: 'reply', call, value: call });
    calls.settle({ type: 'reply', call: early.call, value: 'early' });
    expect(await early.reply).to.equal('early');
    expect(await Promise.all(later.map(({ reply }) => reply))).to.deep.equal(later.map(({ call }) => call));
  });

  it('rejects what the engine refuses, and everything when the connection is lost', async () => {
    const calls = new PendingCalls();
    const pending = Array.from({ length: 3_000 }, () => calls.add());
    const [first] = pending;
    calls.settle({ type: 'reply', call: first?.call ?? 0, error: { code: 'QueueFull', message: 'full' } });
    calls.settle({ type: 'reply', call: first?.call ?? 0, value: 1 });
    calls.lose();
    const codes = await Promise.all(pending.map(({ reply }) => reply.catch((error: { code: string }) => error.code)));
    expect(codes).to.deep.equal(['QueueFull', ...pending.slice(1).map(() => 'EngineLost')]);
  });
});
