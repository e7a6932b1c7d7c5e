import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** A test that hangs ends by then; a machine that is busy needs less. */
const PATIENCE_MS = 15_000;
/** Turns of the event loop in which whatever has come would have been seen. */
const TURNS = 10;

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

/**
 * Sends bytes and collects what comes back: until the server closes, or nothing more has come for `waitMs` after an answer.
 * @param patienceMs for an answer
 */
export async function sendRaw(port: number, bytes: string | Buffer | readonly (string | Buffer)[], waitMs = 1500, patienceMs = PATIENCE_MS): Promise<RawExchange> {
  const pieces: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  let closed = false;
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      closed = true;
      resolve();
    };
    socket.on('data', (piece) => pieces.push(piece)).on('error', () => undefined).on('end', end).on('close', end);
  });
  for (const part of typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes) socket.write(part, 'latin1' as never);
  await Promise.race([ended, silence(pieces, waitMs, patienceMs)]);
  socket.destroy();
  const text = Buffer.concat(pieces).toString('latin1');
  return { responses: parseResponses(text), text, closed };
}

/** Resolves when nothing more has come for so long, and there is an answer or there will be none. */
async function silence(pieces: readonly Buffer[], waitMs: number, patienceMs: number): Promise<void> {
  for (let left = patienceMs; left > 0; left -= waitMs) {
    const { length } = pieces;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    // Where the machine held this process up, the time is over before anything could come.
    for (let turns = 0; turns < TURNS; turns += 1) await turn();
    if (pieces.length === length && Buffer.concat(pieces).includes('\r\n\r\n')) return;
  }
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

/** Waits until something holds; what asking takes does not count. */
export async function until(holds: () => boolean | Promise<boolean>, ms = PATIENCE_MS): Promise<void> {
  for (let left = ms; !await holds(); left -= 5) {
    if (left <= 0) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
