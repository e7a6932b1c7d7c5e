import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { until, World, type WorldOptions } from './stream.fixture.js';

const GROUP = { stream: 'board', groupId: 'g' };
const UPGRADE = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

/** A masked frame of a client; the mask is 0. */
function frame(firstByte: number, payload: Buffer | number): Buffer {
  const length = typeof payload === 'number' ? payload : payload.length;
  const head = Buffer.alloc(length < 126 ? 6 : 14);
  head[0] = firstByte;
  head[1] = 0x80 | (length < 126 ? length : 127);
  if (length >= 126) head.writeBigUInt64BE(BigInt(length), 2);
  return typeof payload === 'number' ? head : Buffer.concat([head, payload]);
}

describe('limits of streams', function () {
  this.timeout(180_000);
  let world: World;
  const start = async (options: WorldOptions = {}): Promise<World> => (world = await World.start(options));
  afterEach(() => world.stop());

  /** A raw connection that is upgraded. */
  const raw = async (): Promise<{ socket: Socket; code: Promise<number | 'cut'> }> => {
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(UPGRADE);
    const [first] = await once(socket, 'data') as [Buffer];
    expect(first.toString()).to.contain(' 101 ');
    const code = new Promise<number | 'cut'>((resolve) => {
      let bytes = Buffer.alloc(0);
      socket.on('data', (data: Buffer) => {
        bytes = Buffer.concat([bytes, data]);
        if (bytes[0] === 0x88 && bytes.length >= 4) resolve(bytes.readUInt16BE(2));
      });
      socket.on('close', () => resolve('cut'));
    });
    return { socket, code };
  };
  const raws = { cut: (socket: Socket) => socket.destroy() };

  it('close what breaks the protocol with the right code, whatever it is', async () => {
    await start();
    const cases: readonly (readonly [string, Buffer, number])[] = [
      ['a frame of 100 MiB', frame(0x81, 100 * 1024 * 1024), 1009], ['an unmasked frame', Buffer.from([0x81, 1, 0x61]), 1002],
      ['reserved bits', frame(0xf1, Buffer.from('a')), 1002], ['a compressed frame', frame(0xc1, Buffer.from('a')), 1002],
      ['invalid UTF-8', frame(0x81, Buffer.from([0xff])), 1007], ['an unknown opcode', frame(0x83, Buffer.from('a')), 1002],
      ['a long ping', frame(0x89, Buffer.alloc(126)), 1002], ['a binary message', frame(0x82, Buffer.from('a')), 1003],
      ['a message of 64 KiB and a byte', frame(0x81, Buffer.alloc(65_537, 0x20)), 1009],
      ['300 fragments of one byte', Buffer.concat([frame(0x01, Buffer.from('a')), ...Array.from({ length: 300 }, () => frame(0x00, Buffer.from('a')))]), 1008],
    ];
    for (const [name, bytes, expected] of cases) {
      const { socket, code } = await raw();
      socket.write(bytes);
      expect(await code, name).to.equal(expected);
      raws.cut(socket);
    }
    expect((await (await world.connect()).join('g')).event.type).to.equal('sync');
  });

  it('close a client that sends too much with 1008', async () => {
    await start({ config: { max_messages_per_second: 5, max_subscriptions: 5 } });
    const client = await world.connect();
    for (let count = 0; count < 20; count++) client.leave(`${count}`);
    expect(await client.closed).to.equal(1008);
  });

  it('let no more clients in than configured, and others once there is room', async () => {
    await start({ config: { max_clients: 2 } });
    const [first] = [await world.connect(), await world.connect()];
    expect(await world.refusal()).to.equal(503);
    first.socket.close();
    await first.closed;
    await until(() => true);
    expect(await world.refusal()).to.equal(101);
  });

  it('say once of each peer what it spoke, and tell it', async () => {
    await start();
    const complaints = (): unknown[] => world.test.logs.filter(({ message }) => message === 'a peer of the stream port breaks its protocol').map(({ fields }) => fields?.['fault']);
    const { hostname, port } = new URL(world.url);
    for (let round = 0; round < 2; round++) {
      const peer = connect(Number(port), hostname);
      peer.write('*1\r\n$4\r\nPING\r\n');
      let answer = '';
      peer.on('data', (data: Buffer) => { answer += data.toString(); });
      await once(peer, 'close');
      expect(answer).to.match(/^HTTP\/1.1 400 [^]*this port serves streams over WebSocket; what came is no HTTP/);
      await (await fetch(`http://${hostname}:${port}/`)).text();
      const client = await world.connect();
      client.send({ type: 'subscribe' });
      expect((await client.next())).to.include({ type: 'error', code: 'bad_message' });
    }
    expect(complaints()).to.deep.equal([
      'no HTTP (HPE_INVALID_METHOD); it begins with "*1\\r\\n$4\\r\\nPING\\r\\n"', 'a plain HTTP request (GET)', 'type must be "join" or "leave"',
    ]);
  });

  it('answer plain HTTP with 426', async () => {
    await start();
    const response = await fetch(world.url.replace('ws:', 'http:'));
    expect(response.status).to.equal(426);
    expect(await response.json()).to.include({ code: 'upgrade_required' });
  });

  it('answer a request that asks for another protocol as plain HTTP, and do not authenticate it', async () => {
    let asked = 0;
    await start({ authenticate: () => (asked += 1) });
    const { hostname, port } = new URL(world.url);
    const peer = connect(Number(port), hostname);
    peer.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    expect(await readText(peer)).to.match(/^HTTP\/1.1 426 [^]*upgrade_required/);
    expect(asked).to.equal(0);
  });

  it('cut off who answers no pings, and nobody else', async () => {
    await start({ config: { ping_interval_ms: 200 } });
    const { code } = await raw();
    const client = await world.connect();
    await client.join('g');
    expect(await Promise.race([code, client.closed])).to.equal('cut');
    await world.port.set(GROUP, 'a', 1);
    expect((await client.next()).id).to.equal('a');
  });

  it('cut off who does not read with 4008, while the others get everything', async () => {
    await start();
    const readers = await Promise.all(Array.from({ length: 12 }, () => world.connect()));
    for (const reader of readers) await reader.join('g');
    const stalled = readers.slice(0, 2);
    for (const { socket } of stalled) socket.pause();
    const text = 'x'.repeat(150_000);
    const rounds = 600;
    for (let count = 0; count < rounds; count++) {
      await world.port.send(GROUP, { type: 'e', data: count % 10 === 0 ? text : count });
      if (count % 3 === 0) await new Promise((resolve) => void setImmediate(resolve));
    }
    await until(() => readers.slice(2).every(({ messages }) => messages.length === rounds + 1));
    for (const { messages } of readers.slice(2)) {
      expect(messages.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: rounds + 1 }, (_, index) => index));
    }
    for (const { socket } of stalled) socket.resume();
    // Whoever reads on too late to be told is cut off; the engine knows why.
    for (const { closed } of stalled) expect([4008, 1006]).to.include(await closed);
    expect(world.test.logs.filter(({ fields }) => fields?.['code'] === 4008)).to.have.length(stalled.length);
  });

  it('let a client read a group that is larger than what may wait', async () => {
    await start({ config: { max_queued_bytes: 10_000, max_queued_messages: 5 } });
    for (let count = 0; count < 40; count++) await world.port.set(GROUP, `${count}`, 'x'.repeat(100_000));
    const client = await world.connect();
    for (const subscriptionId of ['a', 'b', 'c']) client.send({ type: 'join', data: { subscriptionId, streamName: 'board', groupId: 'g' } });
    await until(() => client.messages.length === 3);
    expect(client.messages.map(({ event }) => event.ids?.length)).to.deep.equal([40, 40, 40]);
    await world.port.set(GROUP, 'last', 1);
    await until(() => client.messages.length === 6);
  });

  it('let those who join wait while the large beginnings of others are not read', async () => {
    await start();
    for (let count = 0; count < 20; count++) await world.port.set(GROUP, `${count}`, 'x'.repeat(999_000));
    const join = frame(0x81, Buffer.from(JSON.stringify({ type: 'join', data: { subscriptionId: 's', streamName: 'board', groupId: 'g' } })));
    const PING_BYTES = 100; // a server that waits longer than a minute asks whether they are there
    const unread: Socket[] = [];
    for (let count = 0; count < 4; count++) {
      const { socket } = await raw();
      socket.removeAllListeners('data').pause().write(join);
      unread.push(socket);
    }
    const started = async (): Promise<number> => {
      await until(() => unread.filter(({ readableLength }) => readableLength > PING_BYTES).length >= 3);
      return unread.filter(({ readableLength }) => readableLength > PING_BYTES).length;
    };
    expect(await started()).to.equal(3);
    const client = await world.connect();
    expect((await client.join('small')).event.type).to.equal('sync');
    expect(await started()).to.equal(3);
    unread.forEach(raws.cut);
    expect((await client.join('g', { subscriptionId: 't' })).event.ids).to.have.length(20);
  });

  it('give a reader that keeps up all events of one turn, however many', async () => {
    await start();
    const client = await world.connect();
    await client.join('g');
    await Promise.all(Array.from({ length: 2_000 }, (_, index) => world.port.send(GROUP, { type: 'e', data: index })));
    await until(() => client.messages.length === 2_001);
  });
});
