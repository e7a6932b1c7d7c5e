import { EventEmitter } from 'node:events';
import type { SessionHandle, Turn } from '@treadle/api';
import type { HelloMessage, Message } from '@treadle/protocol';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { Connection, type MessageReader } from './connection.js';
import type { Pulse } from './session-watch.js';
import type { Withdrawals } from './withdrawals.js';
import { WorkerConnection } from './worker-connection.js';

const HELLO: HelloMessage = { type: 'hello', protocol: 1, token: 't', role: 'main', runtime: 'node', runtimeVersion: '1', sdkVersion: '1', pid: 1 };
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A socket that tells whether anybody reads from it. */
class FakeSocket extends EventEmitter {
  paused = 0;
  resumed = 0;

  pause(): void {
    this.paused += 1;
  }

  resume(): void {
    this.resumed += 1;
  }

  close(): void {
    this.emit('close', 1000);
  }

  frame(...messages: readonly object[]): void {
    this.emit('message', Buffer.from(JSON.stringify(messages)), false);
  }
}

describe('frames of a Step process', () => {
  let socket: FakeSocket;
  let taken: unknown[];
  const call = (id: number, args?: unknown): object => ({ type: 'call', id: 1, call: id, op: 'x', args });
  const large = (id: number): object => call(id, 'x'.repeat(70_000));

  beforeEach(() => {
    socket = new FakeSocket();
    taken = [];
    const reader = { take: (message: Message): boolean => { taken.push((message as { call?: number }).call); return true; }, closed: (): void => void taken.push('closed') };
    const connection = new Connection({
      socket: socket as unknown as WebSocket, clock: fakeClock(), onHello: () => reader, onClosed: () => undefined, onFault: (fault) => { throw new Error(fault); },
    });
    expect(connection).to.be.instanceOf(Connection);
    socket.frame(HELLO);
  });

  it('are read at once while they are small', () => {
    socket.frame(call(1), call(2));
    expect([taken, socket.paused]).to.deep.equal([[1, 2], 0]);
  });

  it('have a turn of the event loop each when they are large, in their order, and hold up those behind them', async () => {
    for (const message of [large(1), call(2), large(3)]) socket.frame(message);
    const seen: unknown[] = [[...taken]];
    for (let turns = 0; turns < 3; turns++) {
      await turn();
      seen.push([...taken]);
    }
    expect(seen).to.deep.equal([[], [1], [1, 2], [1, 2, 3]]);
    expect([socket.paused, socket.resumed]).to.deep.equal([1, 1]);
    socket.frame(call(4));
    expect(taken.at(-1)).to.equal(4);
  });

  it('are read before the session of a process that is gone is called lost', () => {
    const told: unknown[] = [];
    const other = new FakeSocket();
    let session: WorkerConnection | undefined;
    const begin = (hello: HelloMessage, connection: Connection): MessageReader => {
      session = new WorkerConnection({
        id: 's', hello, connection, events: { registered: () => undefined, closed: () => undefined }, turn: { at: () => undefined } as unknown as Turn,
        pulse: { heard: false } as Pulse, withdrawals: { close: () => undefined } as Withdrawals,
      });
      session.handle = { call: (id: number) => ({ succeed: () => void told.push(id) }), lost: () => void told.push('lost') } as unknown as SessionHandle;
      return session;
    };
    expect(new Connection({ socket: other as unknown as WebSocket, clock: fakeClock(), onHello: begin, onClosed: () => undefined, onFault: () => undefined })).to.be.instanceOf(Connection);
    other.frame(HELLO);
    other.frame({ type: 'result', id: 1, value: 'x'.repeat(70_000) });
    other.frame({ type: 'result', id: 2 });
    expect(told).to.deep.equal([]);
    session?.gone('exit code 0');
    expect(told.slice(0, 3)).to.deep.equal([1, 2, 'lost']);
  });

  it('are read before their connection is called closed', () => {
    socket.frame(large(1));
    socket.close();
    expect(taken).to.deep.equal([1, 'closed']);
  });
});
