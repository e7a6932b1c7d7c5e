import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { MAX_WAITING_BYTES } from '../server/event-backlog.js';
import { LiveClient, type LiveClientOptions } from './live-client.js';
import { MAX_MESSAGE_BYTES } from './live-message.js';
import type { TopicSink } from './live-topics.js';

/** A frame, as far as the tests look at it. */
interface Told {
  readonly type: string;
  readonly id: string;
  readonly seq: number;
  readonly events?: readonly { readonly at: number }[];
  readonly dropped?: number;
}

/** A connection whose other side reads what a test lets it read. */
class Wire extends EventEmitter {
  bufferedAmount = 0;
  isCut = false;
  readonly messages: string[] = [];

  send(text: string): void {
    this.messages.push(text);
    this.bufferedAmount += Buffer.byteLength(text);
  }

  read(bytes = Infinity): void {
    this.bufferedAmount = Math.max(0, this.bufferedAmount - bytes);
  }

  terminate(): void {
    this.isCut = true;
    this.emit('close');
  }

  say(message: unknown): void {
    this.emit('message', Buffer.from(JSON.stringify(message)), false);
  }

  get told(): readonly Told[] {
    return this.messages.flatMap((text) => JSON.parse(text) as Told[]);
  }
}

describe('a page of the live channel', () => {
  let clock: FakeClock;
  let wire: Wire;
  let sinks: TopicSink[];
  let errors: string[];
  const text = 'x'.repeat(100_000);
  beforeEach(() => {
    [clock, wire, sinks, errors] = [fakeClock(), new Wire(), [], []];
    const open = async (_request: unknown, sink: TopicSink): Promise<() => void> => {
      sinks.push(sink);
      return () => undefined;
    };
    const options = {
      socket: wire as unknown as WebSocket, caller: { name: 'me', role: 'viewer' }, pace: { now: async (work: () => unknown) => void await work(), inTurn: (work: () => unknown) => void work() },
      topics: { open },
      surroundings: { clock, boot: { id: 'boot' }, log: { error: (what: string) => errors.push(what) } },
    };
    void new LiveClient(options as unknown as LiveClientOptions);
  });
  const subscribe = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) wire.say({ type: 'subscribe', id, topic: 'state' });
    await clock.advance(100);
    wire.read();
  };
  const eventsOf = (id: string): readonly number[] => wire.told.flatMap((frame) => (frame.id === id ? frame.events ?? [] : [])).map(({ at }) => at);
  const lengths = (): number[] => wire.messages.map((message) => Buffer.byteLength(message));

  it('gets 100 events of 100 KB a second whole, in messages of bounded length, while it reads', async () => {
    await subscribe('s');
    for (let at = 0; at < 300; at += 1) {
      sinks[0]?.add({ at, text });
      await clock.advance(10);
      wire.read(120_000);
    }
    for (let rest = 0; rest < 20; rest += 1) {
      await clock.advance(100);
      wire.read();
    }
    expect(wire.isCut).to.equal(false);
    expect(Math.max(...lengths())).to.be.most(MAX_MESSAGE_BYTES);
    expect(eventsOf('s')).to.deep.equal([...Array(300).keys()]);
  });

  it('gets the latest of a burst, and a gap for the rest', async () => {
    await subscribe('s');
    for (let at = 0; at < 300; at += 1) sinks[0]?.add({ at, text });
    for (let rest = 0; rest < 10; rest += 1) {
      await clock.advance(100);
      wire.read();
    }
    const events = eventsOf('s');
    const gap = wire.told.find(({ type }) => type === 'gap');
    expect([events.at(-1), gap?.dropped, wire.told.filter(({ id }) => id === 's').map(({ seq }) => seq)]).to.deep.equal([299, 300 - events.length, [1, 2, 3, 4, 5]]);
    expect(events.length * 100_000).to.be.within(MAX_WAITING_BYTES * 0.8, MAX_WAITING_BYTES);
  });

  it('keeps bounded what waits for it in all subscriptions while it reads nothing', async () => {
    await subscribe('a', 'b');
    wire.bufferedAmount = 1_000_000;
    sinks[1]?.add({ at: -1 });
    for (let at = 0; at < 500; at += 1) for (const sink of sinks) sink.add({ at, text });
    await clock.advance(1_000);
    expect(wire.messages).to.have.length(1);
    for (let rest = 0; rest < 20; rest += 1) {
      wire.read();
      await clock.advance(100);
    }
    expect(lengths().reduce((sum, length) => sum + length, 0)).to.be.most(MAX_WAITING_BYTES + 1_000);
    for (const id of ['a', 'b']) expect(eventsOf(id).length, id).to.be.within(10, 30);
  });

  it('gets what is longer than a message alone, and of others no less meanwhile', async () => {
    await subscribe('long', 'short');
    sinks[0]?.add({ at: 0, text: 'y'.repeat(2 * MAX_MESSAGE_BYTES) });
    sinks[0]?.add({ at: 1 });
    sinks[1]?.replace(JSON.stringify(text));
    for (let rest = 0; rest < 3; rest += 1) {
      await clock.advance(100);
      wire.read();
    }
    expect(wire.told.slice(1).map(({ type, id }) => `${type} ${id}`)).to.deep.equal(['delta long', 'snapshot short', 'delta long']);
  });

  it('is cut off when it says more than it reads', async () => {
    wire.bufferedAmount = 1_000_000;
    for (let count = 0; count < 20_000 && !wire.isCut; count += 1) wire.say('nonsense');
    expect(wire.isCut).to.equal(true);
  });

  it('is cut off with an event that cannot be written, and its module does not see it', async () => {
    await subscribe('s');
    sinks[0]?.add({ at: 1n });
    expect([wire.isCut, errors]).to.deep.equal([true, ['what a page follows could not be written as JSON; the page is cut off']]);
  });
});
