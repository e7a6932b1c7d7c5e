import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { WebSocketServer } from 'ws';
import { type ClosedReason, EngineSocket } from './engine-socket.js';

/** How a connection to a URL ends. */
const ending = (url: string): Promise<ClosedReason> => new Promise((onClose) => {
  void new EngineSocket({ url, token: 't', hello: {}, onWelcome: () => undefined, onMessage: () => undefined, onClose });
});

describe('a worker at the wrong address', () => {
  const CHECK = "check ENGINE_URL: the engine's port for Step processes is 3110 unless its configuration says another";

  it('says what answers there', async () => {
    let status = 404;
    const server = createServer((_request, response) => response.writeHead(status).end());
    server.on('upgrade', (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await ending(`ws://user:secret@${host}/`)).message).to.equal(`${host} answers with HTTP 404 and is no channel of Step processes; ${CHECK}`);
    status = 502;
    expect((await ending(`ws://${host}/`)).message).to.equal(`${host} answers with HTTP 502; the engine behind it may be away`);
    expect((await ending(`wss://${host}/`)).message).to.equal(`${host} speaks no TLS; write ws:// into ENGINE_URL, or the address of a proxy that has TLS`);
    server.close();
  });

  it('says that a WebSocket server is no engine', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => socket.send('{"type":"error","code":"bad_message"}'));
    await once(server, 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await ending(`ws://${host}/`)).message).to.equal(`${host} does not answer as an engine does; ${CHECK}`);
    server.close();
  });
});
