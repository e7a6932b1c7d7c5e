import type { NewMessage } from '@treadle/api';
import { expect } from 'chai';
import { decodeEntry, encodeEntry } from './log-entry.js';
import { QueueMachine } from './machine/queue-machine.js';
import { contentOf } from './message-body.js';
import { enqueueCommand } from './wire.js';

const MESSAGE_BYTES = 1_048_576;
const TIME = { toStore: (moment: number) => moment, fromStore: (moment: number) => moment };

describe('messages on the wire', () => {
  it('go into the log with the largest data and the largest headers at once', () => {
    const small: NewMessage = { id: 'small', topic: 't', kind: 'queue', data: '1', traceparent: '', hops: 0, enqueuedAt: 1 };
    const large = { ...small, id: 'large', data: JSON.stringify('x'.repeat(999_998)), headers: JSON.stringify({ h: '"'.repeat(32_000) }) };
    const { bodies, command } = enqueueCommand([small, large, { ...small, id: 'last' }], 10, TIME as Parameters<typeof enqueueCommand>[2]);
    const messages = encodeEntry({ member: 'e', number: 1, seen: 0, joins: [], commands: [{ op: 'look' }, command(0)] }, bodies);
    expect(Math.max(...messages.map(({ length }) => length))).to.be.below(MESSAGE_BYTES);
    const machine = new QueueMachine();
    messages.forEach((message, index) => machine.apply(decodeEntry(message, index + 1, 1)));
    const found = (machine.subscriptions.unrouted.get('t') ?? []).map(({ body, data }) => {
      const [text, apart] = [body, data].map((ref) => ref && messages[ref[0] - 1]?.subarray(ref[1], ref[2]));
      return contentOf(text as Buffer, TIME, apart);
    });
    expect(found.map(({ messageId, data, headers }) => [messageId, data, headers])).to.deep.equal([
      ['small', '1', undefined], ['large', large.data, large.headers], ['last', '1', undefined],
    ]);
    expect([...machine.bodies.uses.values()].reduce((sum, uses) => sum + uses, 0)).to.equal(4);
    machine.apply({ seq: 10, at: 2, member: 'e', number: 2, seen: 9, commands: [{ op: 'purge', key: { step: '', topic: 't' } }], bodies: [] });
    expect(machine.bodies.uses.size).to.equal(0);
  });
});
