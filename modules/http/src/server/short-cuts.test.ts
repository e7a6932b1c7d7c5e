import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sendRaw } from '../raw-client.fixture.js';
import { endBody, giveBodyBack, takeBody, writeResponse } from './short-cuts.js';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';

describe('Short cuts through node:http', () => {
  let server: Server;
  afterEach(() => void server.close());

  async function serve(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
    server = createServer(listener);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  const answer = (response: ServerResponse, body: string | Buffer | undefined, bytes = Buffer.byteLength(body ?? '')): void =>
    writeResponse(response, 200, ['content-length', bytes], body);

  it('leaves nothing to be read of a request without a body, and the connection serves the next', async () => {
    const told: string[] = [];
    const port = await serve((request, response) => {
      for (const event of ['data', 'end', 'close', 'error']) request.on(event, () => told.push(event));
      endBody(request);
      setImmediate(() => answer(response, 'a'));
    });
    const { responses, closed } = await sendRaw(port, [GET, GET, LAST]);
    expect([responses.map(({ body }) => body), closed, told]).to.deep.equal([['a', 'a', 'a'], true, []]);
  });

  it('hands over each piece of a body as it is parsed, without an event, and the connection serves the next', async () => {
    const told: string[] = [];
    const port = await serve((request, response) => {
      if (request.method === 'GET') return answer(response, 'last');
      for (const event of ['end', 'close', 'error']) request.on(event, () => told.push(event));
      let text = '';
      expect(takeBody(request, { onData: (chunk) => { text += `${chunk.toString()};`; }, onEnd: () => answer(response, text) })).to.equal(true);
    });
    const { responses, closed } = await sendRaw(port, [CHUNKED + CHUNKED, LAST]);
    expect([responses.map(({ body }) => body), closed, told]).to.deep.equal([['ab;cde;', 'ab;cde;', 'last'], true, []]);
  });

  it('makes the rest of a body a stream again', async () => {
    const port = await serve((request, response) => {
      if (request.method === 'GET') return answer(response, 'last');
      let text = '';
      const taker = {
        onData: (): void => {
          giveBodyBack(request);
          request.on('data', (chunk: Buffer) => { text += chunk.toString(); }).on('end', () => answer(response, text));
        },
        onEnd: () => answer(response, 'not given back'),
      };
      takeBody(request, taker);
    });
    const { responses } = await sendRaw(port, [CHUNKED, LAST]);
    expect(responses.map(({ body }) => body)).to.deep.equal(['cde', 'last']);
  });

  it('leaves a body alone that somebody has begun to read', async () => {
    const taker = { onData: () => undefined, onEnd: () => undefined };
    const taken: boolean[] = [];
    const port = await serve((request, response) => {
      if (request.method === 'GET') return answer(response, 'last');
      request.once('data', () => taken.push(takeBody(request, taker)));
      taken.push(takeBody(request, taker));
      request.on('end', () => answer(response, String(taken.push(takeBody(request, taker)))));
    });
    const { responses } = await sendRaw(port, [CHUNKED, LAST]);
    expect([responses.map(({ body }) => body), taken]).to.deep.equal([['3', 'last'], [false, false, false]]);
  });

  it('writes a text in one piece, before it returns', async () => {
    const pieces: number[] = [];
    const port = await serve((_request, response) => {
      const { socket } = response;
      if (socket) socket._writev = (chunks) => void pieces.push(chunks.length);
      answer(response, 'é€𝄞');
      pieces.push(socket?.writableLength ?? -1);
    });
    const { responses } = await sendRaw(port, LAST);
    expect(Buffer.from(responses[0]?.body ?? '', 'latin1').toString()).to.equal('é€𝄞');
    expect(pieces).to.deep.equal([0]);
  });

  it('keeps the order of pipelined requests, however late the first is answered', async () => {
    let asked = 0;
    const port = await serve((_request, response) => {
      const number = asked++;
      if (number === 0) setTimeout(() => answer(response, '0'), 30);
      else answer(response, String(number));
    });
    const { responses } = await sendRaw(port, [GET, GET, LAST]);
    expect(responses.map(({ body }) => body)).to.deep.equal(['0', '1', '2']);
  });

  it('writes bytes, nothing, and the head alone', async () => {
    const bodies = [Buffer.from([0, 255]), undefined, undefined, 'end'];
    const port = await serve((_request, response) => answer(response, bodies.shift()));
    const { responses } = await sendRaw(port, [GET, GET, 'HEAD / HTTP/1.1\r\nhost: a\r\n\r\n', LAST]);
    expect(responses.map(({ body }) => body)).to.deep.equal(['\u0000\u00ff', '', '', 'end']);
  });

  it('keeps what a slow client has not taken', async () => {
    const large = 'x'.repeat(20_000_000);
    const port = await serve((_request, response) => {
      answer(response, large);
      expect(response.socket?.writableLength ?? 0).to.be.above(0);
    });
    const { responses } = await sendRaw(port, LAST, 10_000);
    expect(responses[0]?.body).to.have.length(large.length);
  });
});
