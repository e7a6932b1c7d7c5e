import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { CHUNK_BYTES, FIRST_CHUNKS, INITIAL_CREDITS, SHARED_CHUNKS } from './limits.js';
import type { ChunkMessage, CreditMessage } from './messages.js';
import { StreamTable } from './stream-table.js';
import { WriteAhead } from './write-ahead.js';

type StreamMessage = ChunkMessage | CreditMessage;

/** Two ends of a connection whose messages arrive in a later turn, and everything that was said. */
function connected(): { engine: StreamTable; worker: StreamTable; said: StreamMessage[] } {
  const said: StreamMessage[] = [];
  const deliver = (to: () => StreamTable) => (message: StreamMessage): void => {
    said.push(message);
    setImmediate(() => to().handle(message));
  };
  const engine: StreamTable = new StreamTable({ side: 'engine', send: deliver(() => worker) });
  const worker: StreamTable = new StreamTable({ side: 'worker', send: deliver(() => engine) });
  return { engine, worker, said };
}

async function read(source: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function turns(count = 20): Promise<void> {
  for (let n = 0; n < count; n++) await turn();
}

describe('StreamTable', () => {
  it('numbers streams of the engine even and of a worker odd', () => {
    const { engine, worker } = connected();
    expect([engine.send(Readable.from([])), engine.send(Readable.from([]))]).to.deep.equal([2, 4]);
    expect([worker.send(Readable.from([])), worker.send(Readable.from([]))]).to.deep.equal([1, 3]);
  });

  it('carries bytes in both directions at once, in chunks of at most 64 KiB', async () => {
    const { engine, worker, said } = connected();
    const up = Buffer.alloc(5 * 1024 * 1024 + 7, 'up');
    const down = Buffer.alloc(3 * 1024 * 1024 + 1, 'down');
    const toWorker = worker.receive(engine.send(Readable.from([up], { objectMode: false })));
    const toEngine = engine.receive(worker.send(Readable.from([down], { objectMode: false })));
    const [gotUp, gotDown] = await Promise.all([read(toWorker), read(toEngine)]);
    expect(gotUp.equals(up)).to.equal(true);
    expect(gotDown.equals(down)).to.equal(true);
    const sizes = said.map((message) => (message.type === 'chunk' ? Buffer.from(message.data, 'base64').length : 0));
    expect(Math.max(...sizes)).to.equal(CHUNK_BYTES);
    expect(engine.size + worker.size).to.equal(0);
  });

  it('sends no more than the credits while nobody reads, and goes on when somebody does', async () => {
    const { engine, worker, said } = connected();
    const bytes = Buffer.alloc(100 * CHUNK_BYTES, 7);
    const receiver = worker.receive(engine.send(Readable.from([bytes], { objectMode: false })));
    await turns();
    expect(said.filter(({ type }) => type === 'chunk')).to.have.length(INITIAL_CREDITS);
    expect((await read(receiver)).length).to.equal(bytes.length);
  });

  it('carries what a source gives between empty pieces, however many of them there are', async () => {
    const { engine, worker, said } = connected();
    engine.beginWith(FIRST_CHUNKS);
    worker.beginWith(FIRST_CHUNKS);
    const pieces = ['', '', ...Array.from({ length: 40 }, (_, index) => [String(index % 10), '', Buffer.alloc(0)]).flat()];
    const receiver = engine.receive(worker.send(Readable.from(pieces)));
    expect((await read(receiver)).toString()).to.equal('0123456789'.repeat(4));
    expect(said.filter((message) => message.type === 'chunk' && message.data === '')).to.have.length(1);
  });

  it('encodes a large body in several turns', async () => {
    const { engine, said } = connected();
    engine.send(Readable.from([Buffer.alloc(INITIAL_CREDITS * CHUNK_BYTES, 7)], { objectMode: false }));
    let [most, before] = [0, 0];
    for (let n = 0; n < 20; n++) {
      await turn();
      most = Math.max(most, said.length - before);
      before = said.length;
    }
    expect(before).to.be.at.least(INITIAL_CREDITS);
    expect(most).to.be.at.most(INITIAL_CREDITS / 2);
  });

  it('begins with as many chunks as the other side said, also where the other side knows nothing of it', async () => {
    for (const told of [FIRST_CHUNKS, INITIAL_CREDITS]) {
      const { engine, worker, said } = connected();
      worker.beginWith(told);
      const bytes = Buffer.alloc(100 * CHUNK_BYTES, 7);
      const receiver = engine.receive(worker.send(Readable.from([bytes], { objectMode: false })));
      await turns();
      expect(said.filter(({ type }) => type === 'chunk')).to.have.length(told);
      expect((await read(receiver)).equals(bytes)).to.equal(true);
    }
  });

  it('shares what may be under way among many streams that are begun and not read on', async () => {
    const { engine, worker, said } = connected();
    worker.beginWith(FIRST_CHUNKS);
    const count = SHARED_CHUNKS;
    const bytes = Buffer.alloc(3 * FIRST_CHUNKS * CHUNK_BYTES, 7);
    const receivers = Array.from({ length: count }, () => engine.receive(worker.send(Readable.from([bytes], { objectMode: false }))));
    for (const receiver of receivers) receiver.read(1);
    await turns(60);
    expect(said.filter(({ type }) => type === 'chunk').length / count).to.be.at.most(FIRST_CHUNKS + 1);
    const wholes = await Promise.all(receivers.map((receiver) => read(receiver)));
    expect(wholes.every((whole) => whole.length >= bytes.length - 1)).to.equal(true);
    expect(engine.size + worker.size).to.equal(0);
  });

  it('waits for the socket, and lets every stream have its turn', async () => {
    const ahead = new WriteAhead();
    const sent: ChunkMessage[] = [];
    const table = new StreamTable({ side: 'worker', ahead, send: (message) => sent.push(message as ChunkMessage) });
    const bytes = Buffer.alloc(8 * CHUNK_BYTES, 7);
    const ids = Array.from({ length: 20 }, () => table.send(Readable.from([bytes], { objectMode: false })));
    await turns();
    const atFirst = sent.length;
    expect(atFirst).to.be.lessThan(32);
    for (let frame = ahead.frame(); frame; frame = ahead.frame()) {
      frame();
      await turns();
    }
    for (const id of ids) expect(sent.filter(({ stream, data }) => stream === id && data !== '')).to.have.length(8);
    expect(sent.filter(({ end }) => end)).to.have.length(20);
    expect(table.size).to.equal(0);
  });

  it('does not wait for the socket any more with a stream that nobody wants', async () => {
    const ahead = new WriteAhead();
    const sent: ChunkMessage[] = [];
    const table = new StreamTable({ side: 'worker', ahead, send: (message) => sent.push(message as ChunkMessage) });
    const big = (): Readable => Readable.from([Buffer.alloc(16 * CHUNK_BYTES, 7)], { objectMode: false });
    for (let n = 0; n < 4; n++) table.send(big());
    await turns();
    const before = sent.length;
    for (const stream of [1, 3, 5, 7]) table.handle({ type: 'credit', stream, chunks: 0 });
    ahead.frame()?.();
    await turns();
    expect([sent.length, table.size]).to.deep.equal([before, 0]);
  });

  it('sends what a source writes without waiting for more', async () => {
    const { engine, worker } = connected();
    const source = new PassThrough();
    const receiver = worker.receive(engine.send(source));
    source.write('one');
    const [first] = (await once(receiver, 'data')) as [Buffer];
    expect(first.toString()).to.equal('one');
    source.end();
    await once(receiver, 'end');
  });

  it('carries an empty stream and one of objects that are text', async () => {
    const { engine, worker } = connected();
    expect((await read(worker.receive(engine.send(Readable.from([])))))).to.have.length(0);
    expect((await read(worker.receive(engine.send(Readable.from(['a', 'b']))))).toString()).to.equal('ab');
  });

  it('fails the receiver when the source fails or is closed early', async () => {
    const { engine, worker } = connected();
    const failing = new PassThrough();
    const receiver = worker.receive(engine.send(failing));
    failing.destroy(new Error('disk gone'));
    await failure(receiver, 'disk gone');
    const closing = new PassThrough();
    const other = worker.receive(engine.send(closing));
    closing.destroy();
    await failure(other, 'the stream was closed before its end');
    expect(engine.size + worker.size).to.equal(0);
  });

  it('fails the receiver when the source gives something that is no bytes', async () => {
    const { engine, worker } = connected();
    await failure(worker.receive(engine.send(Readable.from([{ not: 'bytes' }]))), 'a stream carries strings and bytes, not a value of type object');
  });

  it('destroys the source when the receiver is destroyed', async () => {
    const { engine, worker, said } = connected();
    const source = new PassThrough();
    const receiver = worker.receive(engine.send(source));
    source.write('one');
    receiver.destroy();
    await once(source, 'close');
    expect(said).to.deep.include({ type: 'credit', stream: 2, chunks: 0 });
    expect(engine.size + worker.size).to.equal(0);
  });

  it('fails a stream whose sender exceeds its credits', async () => {
    const worker = new StreamTable({ side: 'worker', send: () => undefined });
    const receiver = worker.receive(2);
    const data = Buffer.alloc(10).toString('base64');
    for (let n = 0; n <= 2 * INITIAL_CREDITS; n++) worker.handle({ type: 'chunk', stream: 2, data });
    await failure(receiver, 'the sender of a stream exceeded its credits');
  });

  it('ends both directions when the connection is gone, and ignores what still comes', async () => {
    const { engine } = connected();
    const source = new PassThrough();
    engine.send(source);
    const receiver = engine.receive(1);
    engine.close('gone');
    await failure(receiver, 'gone');
    expect(source.destroyed).to.equal(true);
    engine.handle({ type: 'chunk', stream: 1, data: 'AA==' });
    engine.handle({ type: 'credit', stream: 2, chunks: 1 });
    expect(engine.size).to.equal(0);
  });
});

async function failure(stream: Readable, message: string): Promise<void> {
  const failed = once(stream, 'error') as Promise<[Error]>;
  stream.resume();
  expect((await failed)[0].message).to.equal(message);
}
