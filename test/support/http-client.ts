import { request as send, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined without one. */
  readonly json: unknown;
}

/** Longer than an engine gives its handlers by default: its answer is what tests are to see. */
const SILENCE_MS = 90_000;

/** One request on a connection of its own; `body` is sent as JSON. */
export function request(method: string, url: string, body?: unknown, extra: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const ofBody = payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
  const headers = { ...ofBody, ...extra };
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, headers, agent: false, timeout: SILENCE_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => { text += part; });
      response.on('end', () => resolve({
        status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text, response.headers['content-type']),
      }));
      response.on('error', reject);
    });
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error(`no answer in ${SILENCE_MS} ms from ${method} ${url}`)));
    sent.end(payload);
  });
}

function parsed(text: string, type?: string): unknown {
  return text !== '' && type?.includes('json') ? JSON.parse(text) : undefined;
}
