import { createHash } from 'node:crypto';

type Pick = (below: number) => number;

/** One connection's worth of requests, and what is to come of them. */
export interface Conversation {
  readonly bytes: Buffer;
  /** Status, and for answered requests length and digest of the body, in order; without "100 Continue". */
  readonly answers: readonly string[];
  /** Requests whose handler must not run. */
  readonly unseen: readonly string[];
  /** How it ends: by the server, by the client's half, or by the client that leaves. */
  readonly end: 'answered' | 'half' | 'gone';
}

/** Largest body that is taken; above it a request is refused. */
export const BODY_LIMIT = 90_000;

const TYPES = ['text/plain', 'application/octet-stream'];
const CHUNKED = 'transfer-encoding: chunked\r\n';

/** What the handler is to say of a body. */
export function digest(body: Buffer): string {
  return `${body.length} ${createHash('sha1').update(body).digest('hex')}`;
}

/** Makes a conversation: POSTs with bodies framed in all ways and GETs in between, the last whole, refused, broken or cut off. */
export function conversation(pick: Pick, name: string): Conversation {
  const parts: Buffer[] = [];
  const answers: string[] = [];
  for (let count = pick(5); count > 0; count--) {
    const body = pick(4) === 0 ? undefined : someBody(pick);
    parts.push(request(pick, `${name}-${count}`, body));
    answers.push(`200 ${digest(body ?? Buffer.alloc(0))}`);
  }
  const last = lastRequest(pick, `${name}-last`);
  return { end: last.end, unseen: last.unseen, bytes: Buffer.concat([...parts, last.bytes]), answers: [...answers, ...last.answers] };
}

function lastRequest(pick: Pick, id: string): Conversation {
  const body = someBody(pick);
  const whole = request(pick, id, body, 'connection: close\r\n');
  const cut = whole.subarray(0, whole.length - 1 - pick(Math.min(body.length, 4)));
  switch (pick(6)) {
    case 0: return { bytes: request(pick, id, Buffer.alloc(BODY_LIMIT + 1 + pick(BODY_LIMIT), 'x')), answers: ['413'], unseen: [id], end: 'answered' };
    case 1: return { bytes: Buffer.from(`${head(id, pick)}${CHUNKED}\r\n2\r\nab\r\nzz\r\n`), answers: ['400'], unseen: [id], end: 'answered' };
    case 2: return { bytes: cut, answers: ['400'], unseen: [id], end: 'half' };
    case 3: return { bytes: cut, answers: [], unseen: [id], end: 'gone' };
    default: return { bytes: whole, answers: [`200 ${digest(body)}`], unseen: [], end: 'answered' };
  }
}

function someBody(pick: Pick): Buffer {
  const size = [1 + pick(20), 1 + pick(6000), 1 + pick(BODY_LIMIT)][pick(8) === 0 ? 2 : pick(2)]!;
  return Buffer.from(Array.from({ length: size }, () => 97 + pick(26)));
}

function head(id: string, pick: Pick): string {
  return `POST /echo?id=${id}&turns=${pick(4)} HTTP/1.1\r\nhost: x\r\ncontent-type: ${TYPES[pick(2)]}\r\n`;
}

function request(pick: Pick, id: string, body: Buffer | undefined, more = ''): Buffer {
  if (body === undefined) return Buffer.from(`GET /echo?id=${id}&turns=${pick(4)} HTTP/1.1\r\nhost: x\r\n${more}\r\n`);
  const start = `${head(id, pick)}${more}${pick(4) === 0 ? 'expect: 100-continue\r\n' : ''}`;
  if (pick(2) === 0) return Buffer.concat([Buffer.from(`${start}content-length: ${body.length}\r\n\r\n`), body]);
  return Buffer.concat([Buffer.from(`${start}${CHUNKED}\r\n`), ...chunks(pick, body), Buffer.from(`0\r\n${pick(3) === 0 ? 'x-trailer: t\r\n' : ''}\r\n`)]);
}

function chunks(pick: Pick, body: Buffer): Buffer[] {
  const largest = [3, 300, 30_000][body.length > 3000 ? 1 + pick(2) : pick(3)]!;
  const made: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const piece = body.subarray(at, at + 1 + pick(largest));
    made.push(Buffer.from(`${piece.length.toString(16)}${pick(3) === 0 ? ';a=b;c="d e"' : ''}\r\n`), piece, Buffer.from('\r\n'));
    at += piece.length;
  }
  return made;
}
