import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a command sent it. */
export interface SentRequest {
  readonly method: string;
  /** With the query, as it came. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** What is answered: a status and a body, or whatever the function does. */
export type Answer = readonly [status: number, body: unknown] | ((response: ServerResponse) => void);

/** An admin API that says what a test wants it to and remembers what it was asked. */
export class FakeAdmin {
  readonly requests: SentRequest[] = [];
  /** By method and path without `/api/v1` and query, e.g. `GET /queues`. */
  readonly answers = new Map<string, Answer>();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => void this.server.close(resolve));
  }

  get last(): SentRequest | undefined {
    return this.requests.at(-1);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, path: url, headers, body: text === '' ? undefined : JSON.parse(text) as unknown });
    const answer = this.answers.get(`${method} ${url.replace(/\?.*$/s, '').replace(/^\/api\/v1/, '')}`) ?? [404, { status: 404, detail: 'nothing is served there', code: 'not_found' }];
    if (typeof answer === 'function') {
      answer(response);
      return;
    }
    const [status, body] = answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? '' : JSON.stringify(body));
  }
}
