import { expect } from 'chai';
import type { FlushTurn } from './flush-turn.js';
import { Outbox } from './outbox.js';

describe('the outbox of a client', () => {
  it('is catching up until the beginning of its last subscription has gone out', async () => {
    const taken: (() => void)[] = [];
    const socket = { writableLength: 0, write: (bytes: Buffer, done?: () => void) => { socket.writableLength += bytes.length; if (done) taken.push(done); } };
    const turn = { add: () => undefined, joined: (frames: readonly Buffer[]) => Buffer.concat(frames) } as unknown as FlushTurn;
    const outbox = new Outbox(socket, turn, { max_queued_messages: 10, max_queued_bytes: 1_000 }, () => undefined);
    outbox.addCatchUp([Buffer.alloc(100)]);
    const first = outbox.catchingUp;
    outbox.addCatchUp([Buffer.alloc(50)]);
    const second = outbox.catchingUp;
    taken[0]?.();
    await first;
    expect(outbox.catchingUp).to.equal(second);
    taken[1]?.();
    await second;
    expect(outbox.catchingUp).to.equal(undefined);
  });
});
