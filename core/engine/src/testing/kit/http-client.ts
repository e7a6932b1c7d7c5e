import { Agent, type IncomingMessage, request as send } from 'node:http';

/** What a request carries besides method and path. */
export interface TestRequest {
  /** An object is sent as JSON; text, bytes, `FormData`, `URLSearchParams` and `Blob` as they are. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type QueryValue = string | number | boolean;

/** What the application answered. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- only the test knows what its application answers
export interface TestAnswer<Body = any> {
  readonly status: number;
  /** Lower-case names; repeated ones are joined by `, `, those of `set-cookie` by a line break. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON is read, other text is a string, anything else a `Buffer`; undefined when there is none. */
  readonly body: Body;
  /** Of the request, and of all that it caused. */
  readonly traceId: string;
}

/** Sends requests to a test engine over loopback. */
export class TestHttpClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly baseUrl: string) {}

  async request(method: string, path: string, { body, query = {}, headers = {} }: TestRequest): Promise<TestAnswer<Buffer>> {
    const url = urlOf(this.baseUrl, path, query);
    const { bytes, type } = await encoded(body);
    const sent = { ...type !== undefined && { 'content-type': type }, ...lowerCase(headers) };
    const response = await this.send(method, url, sent, bytes);
    const received = await collected(response);
    const answered = joined(response);
    return { status: response.statusCode ?? 0, headers: answered, body: received, traceId: answered['x-trace-id'] ?? '' };
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, url: URL, headers: Readonly<Record<string, string>>, bytes: Buffer | undefined): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = send(url, { method: method.toUpperCase(), headers: { ...headers, ...bytes && { 'content-length': bytes.length } }, agent: this.agent });
      request.once('response', resolve);
      request.once('error', (cause) => reject(new Error(`${method} ${url.pathname} got no answer: ${cause.message}`, { cause })));
      request.end(bytes);
    });
  }
}

function urlOf(base: string, path: string, query: NonNullable<TestRequest['query']>): URL {
  if (!path.startsWith('/')) throw new Error(`the path of a request begins with "/", got "${path}"`);
  const url = new URL(base + path);
  for (const [name, given] of Object.entries(query)) {
    for (const value of Array.isArray(given) ? given as readonly QueryValue[] : [given as QueryValue | undefined]) {
      if (value !== undefined) url.searchParams.append(name, String(value));
    }
  }
  return url;
}

async function encoded(body: unknown): Promise<{ readonly bytes?: Buffer; readonly type?: string }> {
  if (body === undefined) return {};
  if (typeof body === 'string') return { bytes: Buffer.from(body), type: 'text/plain; charset=utf-8' };
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), type: 'application/octet-stream' };
  if (body instanceof FormData || body instanceof URLSearchParams || body instanceof Blob) {
    const response = new Response(body);
    const type = response.headers.get('content-type');
    return { bytes: Buffer.from(await response.arrayBuffer()), ...type !== null && { type } };
  }
  return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function collected(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function joined({ headersDistinct }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headersDistinct);
  return Object.fromEntries(entries.map(([name, values = []]) => [name, values.join(name === 'set-cookie' ? '\n' : ', ')]));
}

/** Reads the body as its type says. */
export function decoded(answer: TestAnswer<Buffer>): TestAnswer {
  return { ...answer, body: valueOf(answer.body, answer.headers['content-type'] ?? '') };
}

function valueOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined;
  if (/^application\/(?:[\w.-]+\+)?json\b/.test(type)) return JSON.parse(bytes.toString()) as unknown;
  return type === '' || /^text\/|charset=/.test(type) ? bytes.toString() : bytes;
}
