import { request as send, type IncomingMessage } from 'node:http';
import { isUtf8 } from 'node:buffer';
import type { HttpOutcome, RunHttp, RunOutcome } from '../contract/index.js';
import { withoutOurs } from '../server/header-fields.js';

const DEFAULT_TIMEOUT_MS = 30_000;
/** Bytes of an answer that are shown. */
const MOST_BODY = 1024 * 1024;
/** Made for the connection that we open ourselves. */
const OURS: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect']);

/** What came of it, and the trace that the engine began for it. */
export interface Sent {
  readonly outcome: RunOutcome;
  readonly traceId?: string;
}

/** Sends a request to the engine's own HTTP port and nowhere else. Redirects are answers. */
export function sendHttp(address: string, { method, path, headers = {}, body = '', timeoutMs = DEFAULT_TIMEOUT_MS }: RunHttp): Promise<Sent> {
  const { hostname, port } = new URL(address);
  const own = withoutOurs(headers, OURS);
  const began = performance.now();
  return new Promise((resolve) => {
    const failed = (code: string, detail: string): void => resolve({ outcome: { kind: 'failed', code, detail } });
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = send({
      host: hostname.replace(/^\[|\]$/g, ''), port, method, path, signal, agent: false,
      headers: { ...own, ...body !== '' && { 'content-length': Buffer.byteLength(body) } },
    }, (response) => {
      const firstByteMs = performance.now() - began;
      readOutcome(response, firstByteMs).then((outcome) => {
        const traceId = response.headers['x-trace-id'];
        resolve({ outcome, ...typeof traceId === 'string' && { traceId } });
      }, () => failed(signal.aborted ? 'timeout' : 'broken_off', signal.aborted ? `the answer was not whole after ${timeoutMs} ms` : 'the answer was broken off'));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) failed('timeout', `no answer within ${timeoutMs} ms`);
      else failed('unreachable', `${address} cannot be reached: ${error.message}`);
    });
    outgoing.end(body);
  });
}

async function readOutcome(response: IncomingMessage, firstByteMs: number): Promise<HttpOutcome> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const room = MOST_BODY - bytes;
    if (room > 0) kept.push((chunk as Buffer).subarray(0, room));
    bytes += (chunk as Buffer).length;
  }
  const body = Buffer.concat(kept);
  const truncated = bytes > body.length;
  // A character may be cut in two at the end of what is kept.
  const text = isUtf8(body) || (truncated && [1, 2, 3].some((cut) => isUtf8(body.subarray(0, body.length - cut))));
  const { rawHeaders } = response;
  const headers = rawHeaders.filter((_name, at) => at % 2 === 0).map((name, at) => [name, rawHeaders[2 * at + 1] ?? ''] as const);
  return { kind: 'http', status: response.statusCode ?? 0, headers, body: body.toString(text ? 'utf8' : 'base64'), base64: !text, bytes, truncated, firstByteMs };
}
