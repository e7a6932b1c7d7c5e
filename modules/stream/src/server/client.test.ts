import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { StreamAdapter, StreamEvent, StreamItem, StreamPosition, Turn } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { Rooms } from '../rooms/rooms.js';
import { Beginnings } from './beginnings.js';
import { Client, type ClientSurroundings } from './client.js';
import { FlushTurn } from './flush-turn.js';

const GROUP = { stream: 'board', groupId: 'g' };
const CONFIG = {
  retained_events: 10, retained_ms: 60_000, max_retained_bytes: 100_000, max_subscriptions: 10, max_queued_messages: 100, max_queued_bytes: 100_000,
  max_messages_per_second: 100,
};

/** A store that may lose events, and that cannot be read at times. */
class Store {
  epoch = 'e';
  seq = 0;
  readings = 0;
  fault: Error | undefined;
  /** Events that happen while it is read. */
  meanwhile = 0;
  private listener: (event: StreamEvent) => void = () => undefined;

  watch(listener: (event: StreamEvent) => void): () => void {
    this.listener = listener;
    return () => undefined;
  }

  async snapshot(): Promise<{ items: readonly StreamItem[]; position: StreamPosition }> {
    this.readings += 1;
    if (this.fault) throw this.fault;
    const position = { epoch: this.epoch, seq: this.seq };
    for (let more = this.meanwhile; more > 0; more -= 1) this.tell();
    return { items: [], position };
  }

  /** @param step more than 1: events before it went missing */
  tell(step = 1): void {
    this.seq += step;
    this.listener({ ...GROUP, id: undefined, epoch: this.epoch, seq: this.seq, timestamp: 1, event: { type: 'event', event: { type: 'e', data: 0 } } });
  }
}

describe('a client of streams', () => {
  const made = () => {
    const [store, clock, warnings] = [new Store(), fakeClock(), [] as string[]];
    const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
    const rooms = new Rooms(store as unknown as StreamAdapter, clock, CONFIG);
    rooms.open();
    const turn = { at: (_phase: string, work: () => void) => () => void setImmediate(work) } as unknown as Turn;
    const shared = {
      config: CONFIG, clock, log, rooms, turn: new FlushTurn(turn), beginnings: new Beginnings(), gone: () => undefined,
      hooks: { canAccess: async () => 'granted', notify: async () => undefined }, patience: { ask: (question: () => unknown) => question() },
    } as unknown as ClientSurroundings;
    return { store, clock, rooms, warnings, connect: () => connection(shared) };
  };

  /** A connection whose socket is none: what is sent there in short, and what a client may do. */
  const connection = (shared: ClientSurroundings) => {
    const sent: string[] = [];
    const raw = { writable: true, writableLength: 0, write: (bytes: Buffer) => void sent.push(...bytes.toString().match(/"(?:type":"sync|code":"\w+|seq":\d+)/g) ?? []) };
    const socket = Object.assign(new EventEmitter(), { close: (code: number) => void sent.push(`closed ${code}`), terminate: () => undefined });
    const client = new Client(socket as unknown as WebSocket, raw as unknown as Duplex, undefined, shared, true, 1);
    const say = (type: string, subscriptionId: string): void =>
      void socket.emit('message', Buffer.from(JSON.stringify({ type, data: { subscriptionId, streamName: GROUP.stream, groupId: GROUP.groupId } })), false);
    return { client, sent, join: (id = 's') => say('join', id), leave: (id = 's') => say('leave', id), end: () => void socket.emit('close') };
  };

  /** Two clients that follow the group, which then goes on in another epoch while the store cannot be read. */
  const lost = async () => {
    const world = made();
    const { store, clock, connect } = world;
    const both = [connect(), connect()] as const;
    for (const { join } of both) join();
    await clock.advance(0);
    store.fault = new Error('the store fails over');
    store.epoch = 'f';
    store.tell();
    await clock.advance(0);
    return { ...world, both };
  };
  const FOLLOWED = ['"seq":0', '"type":"sync'];

  it('that has to begin anew while the store cannot be read follows its group as soon as that is possible', async () => {
    const { store, clock, rooms, warnings, both } = await lost();
    await clock.advance(60_000);
    expect(both.map(({ sent }) => sent), 'nobody asked, so nobody is refused').to.deep.equal([FOLLOWED, FOLLOWED]);
    expect([store.readings, rooms.size('board')]).to.satisfy(([readings, size]: number[]) => readings as number > 3 && readings as number < 30 && size === 0);
    expect(warnings).to.have.length(2);
    store.fault = undefined;
    await clock.advance(10_000);
    store.tell();
    await clock.advance(0);
    const again = [...FOLLOWED, '"seq":1', '"type":"sync', '"seq":2'];
    expect(both.map(({ sent }) => sent)).to.deep.equal([again, again]);
    expect(rooms.size('board')).to.equal(2);
  });

  it('that has to begin anew in a group that changes faster than it can be read follows it once it is calmer', async () => {
    const { store, clock, rooms, connect } = made();
    const one = connect();
    one.join();
    await clock.advance(0);
    store.meanwhile = 20;
    store.tell(2);
    await clock.advance(0);
    expect(rooms.size('board')).to.equal(0);
    store.meanwhile = 0;
    await clock.advance(10_000);
    expect(one.sent.slice(-2)).to.deep.equal([`"seq":${store.seq}`, '"type":"sync']);
    expect(one.sent.join()).to.not.contain('code');
    expect(rooms.size('board')).to.equal(1);
  });

  it('that leaves, or whose connection ends, is not begun anew', async () => {
    const { store, clock, rooms, both: [one, two] } = await lost();
    const { readings } = store;
    one.leave();
    two.end();
    store.fault = undefined;
    await clock.advance(60_000);
    expect([store.readings, rooms.size('board'), one.sent, two.sent]).to.deep.equal([readings, 0, FOLLOWED, FOLLOWED]);
    one.join();
    await clock.advance(0);
    expect(one.sent).to.deep.equal([...FOLLOWED, '"seq":1', '"type":"sync']);
    rooms.close();
    expect(clock.pending).to.equal(0);
  });

  it('is told when a join that it asked for fails', async () => {
    const { store, clock, both: [one] } = await lost();
    const { readings } = store;
    one.join('t');
    await clock.advance(0);
    expect(one.sent).to.deep.equal([...FOLLOWED, '"code":"unavailable']);
    expect(store.readings).to.equal(readings + 1);
  });
});
