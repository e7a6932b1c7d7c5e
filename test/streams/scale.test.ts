import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';
import { Expected } from './src/expected.js';
import { clientFrame, type Frame, FrameSplitter } from './src/frames.js';
import { Reader } from './src/reader.js';
import { runScale } from './src/scale-run.js';

/** The short form; `npm run streams:scale` is the long one. */
describe('streams with readers that stall', function () {
  this.timeout(180_000);
  afterEach(stopAllEngines);

  it('give everybody else every event once and in order, and cut off who does not read', async () => {
    const [clients, stalled] = [300, 15];
    const { faults, readers, slowReaders, ...figures } = await runScale({
      clients, stalled, bulk: 2 * stalled, seconds: 6, perSecond: 10, bytes: 1000, bulkPerSecond: 20, bulkBytes: 60_000, processes: 2, warmUp: false,
    });
    expect(faults, JSON.stringify(figures)).to.deep.equal([]);
    expect(readers).to.include({ reading: clients - stalled, complete: clients - stalled, disconnected: 0, stalledDisconnected: stalled });
    expect(slowReaders).to.equal(stalled);
    const [toAll, inBulk] = [6 * 10 + 1, 6 * 20 + 1];
    expect(readers.events).to.equal((clients - stalled) * toAll + stalled * inBulk);
  });
});

describe('the readers\' checks', () => {
  const message = (seq: number, type = 'event'): Buffer =>
    Buffer.from(JSON.stringify({ type: 'stream', groupId: 'all', seq, event: { type, event: { data: { at: seq } } }, subscriptionId: 'all' }));

  it('know the next event by its bytes, and no other', () => {
    const expected = new Expected();
    expected.read(message(1));
    expect(expected.next('all', 0, message(1))).to.include({ seq: 1, at: 1 });
    expect(expected.next('all', 1, message(1)), 'a duplicate').to.equal(undefined);
    expect(expected.next('all', -1, message(1)), 'a gap').to.equal(undefined);
    expect(expected.next('bulk', 0, message(1))).to.equal(undefined);
    expect(expected.read(message(1, 'create')).differs).to.equal(true);
  });

  it('find a duplicate, a gap and what others got otherwise', async () => {
    const sent = [message(0, 'sync'), message(1), message(1), message(3), message(2)];
    const server = createServer((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      for (const payload of sent) socket.write(Buffer.concat([Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]), payload]));
      socket.end(Buffer.from([0x88, 2, 0x0f, 0xa8]));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const expected = new Expected();
    expected.read(message(2, 'create'));
    const reader = new Reader((server.address() as AddressInfo).port, ['all'], expected, () => undefined);
    await reader.join();
    await waitUntil('the end', () => reader.ended);
    expect(reader.faults).to.deep.equal(['all: 1 after 1', 'all: 3 after 1', 'all: 2 is not what others got']);
    expect(reader).to.include({ ended: 4008, events: 1 });
    server.close();
  });

  it('take frames apart wherever the bytes are cut', () => {
    const long = Buffer.alloc(70_000, 0x61);
    const medium = Buffer.alloc(300, 0x62);
    const bytes = Buffer.concat([
      Buffer.from([0x81, 2]), Buffer.from('ab'), Buffer.from([0x89, 0]), Buffer.from([0x81, 126, 1, 44]), medium,
      Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]), long,
    ]);
    const split = (size: number, length = bytes.length): readonly Frame[] => {
      const splitter = new FrameSplitter();
      const frames: Frame[] = [];
      for (let at = 0; at < length; at += size) {
        splitter.take(bytes.subarray(at, Math.min(length, at + size)), ({ opcode, payload }) => frames.push({ opcode, payload: Buffer.from(payload) }));
      }
      return frames;
    };
    const lengths = (frames: readonly Frame[]): unknown => frames.map(({ opcode, payload }) => [opcode, payload.length]);
    for (const size of [1000, bytes.length]) expect(lengths(split(size)), `${size} bytes a piece`).to.deep.equal([[1, 2], [9, 0], [1, 300], [1, 70_000]]);
    const single = split(1, 400);
    expect(lengths(single)).to.deep.equal([[1, 2], [9, 0], [1, 300]]);
    expect(single[0]?.payload.toString()).to.equal('ab');
    expect([...clientFrame(10, 'a')]).to.deep.equal([0x8a, 0x81, 0, 0, 0, 0, 0x61]);
  });
});
