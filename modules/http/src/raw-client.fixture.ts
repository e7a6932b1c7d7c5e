import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';

/** One response as it came over a raw socket. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawExchange {
  readonly responses: readonly RawResponse[];
  readonly text: string;
  /** The server closed the connection within the time. */
  readonly closed: boolean;
}

/** Sends bytes and collects what comes back until the server closes, or for `waitMs`. */
export function sendRaw(port: number, bytes: string | Buffer | readonly (string | Buffer)[], waitMs = 1500): Promise<RawExchange> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(pieces).toString('latin1');
      resolve({ responses: parseResponses(text), text, closed });
    };
    const timer = setTimeout(() => finish(false), waitMs);
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', () => undefined);
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    for (const part of typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes) socket.write(part, 'latin1' as never);
  });
}

/** The responses of a connection; the body of the last may be cut. */
export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const length = Number(headers['content-length'] ?? 0);
    responses.push({ status: Number(first.split(' ')[1]), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}

/** An open raw connection. */
export function openRaw(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

export interface ClientResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** A real client that does not normalise anything: any method, path and header. */
export function call(
  url: string, options: RequestOptions & { readonly body?: string | Buffer } = {},
): Promise<ClientResponse> {
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent: false, ...rest }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(pieces);
        const text = bytes.toString('utf8');
        resolve({
          status: response.statusCode!, headers: response.headers, bytes, text,
          get json() {
            return JSON.parse(text) as Record<string, unknown>;
          },
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Posts JSON. */
export function postJson(url: string, value: unknown, headers: Record<string, string> = {}): Promise<ClientResponse> {
  return call(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) });
}

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 3000): Promise<void> {
  const end = Date.now() + ms;
  while (!await holds()) {
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
