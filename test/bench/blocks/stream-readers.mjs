// Readers of a stream in a process of their own: raw sockets that join and count bytes. Driven over IPC by stream-engine.ts.
import { connect } from 'node:net';

const JOIN = Buffer.from(JSON.stringify({ type: 'join', data: { subscriptionId: 's', streamName: 'board', groupId: 'g' } }));
const HANDSHAKE = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
  + 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
const AT_ONCE = 50;

/** A masked text frame; the mask is 0. */
function masked(payload) {
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

const readers = [];
let expected = Infinity;
let behind = 0;

function check() {
  if (behind === 0 && expected !== Infinity) {
    expected = Infinity;
    process.send({ type: 'all' });
  }
}

async function open(port) {
  const socket = connect(port, '127.0.0.1');
  const reader = { socket, bytes: 0 };
  readers.push(reader);
  await new Promise((resolve, reject) => {
    let text = '';
    let joined = false;
    const greet = (data) => {
      text += data.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      if (text.includes('"type":"sync"')) {
        socket.off('data', greet);
        socket.on('data', (chunk) => count(reader, chunk.length));
        resolve();
      } else if (!joined) {
        // A ping may have come with the handshake.
        joined = true;
        socket.write(masked(JOIN));
      }
    };
    socket.on('data', greet);
    socket.on('error', reject);
    socket.write(HANDSHAKE);
  });
}

function count(reader, length) {
  const wasBehind = reader.bytes < expected;
  reader.bytes += length;
  if (wasBehind && reader.bytes >= expected) {
    behind -= 1;
    check();
  }
}

/** What a browser does by itself when it is asked for a sign of life. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
setInterval(() => {
  for (const { socket } of readers) socket.write(PONG);
}, 5000);

process.on('message', async (message) => {
  if (message.type === 'open') {
    for (let made = 0; made < message.count; made += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, message.count - made) }, () => open(message.port)));
    }
    process.send({ type: 'open' });
  } else if (message.type === 'expect') {
    expected = message.bytes;
    behind = readers.filter(({ bytes }) => bytes < expected).length;
    check();
  }
});
