import type { ClientRequest, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { type Clock, type Unsubscribe, wallTime } from '@treadle/api';
import type { WebSocket } from 'ws';
import type * as Ws from 'ws';
import type { JoinEvent, JsonValue } from '../contract/index.js';
import { withoutOurs } from '../server/header-fields.js';
import type { JoinRequest } from './join-request.js';

const load = createRequire(import.meta.url);
const CONNECT_MS = 15_000;
/** Items of a `sync` that are shown. */
const MOST_ITEMS = 100;
const MOST_REASON = 64 * 1024;
const NORMAL = 1000;
/** Made for the connection that we open ourselves. */
const OURS: ReadonlySet<string> = new Set([
  'connection', 'upgrade', 'content-length', 'transfer-encoding', 'expect', 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions', 'sec-websocket-protocol',
]);
const SUBSCRIPTION = 'console';

interface Parts {
  readonly clock: Clock;
  /** Of this engine's streams, e.g. `ws://127.0.0.1:3112`. */
  readonly address: string;
  readonly tell: (event: JoinEvent) => void;
}

/** `Omit` over each of the events by itself. */
type Untimed = JoinEvent extends infer E ? (E extends JoinEvent ? Omit<E, 'at'> : never) : never;

/** A client of this engine's own streams, with the headers and the address that somebody gave: tells what becomes of it. Returns what ends it. */
export function connectGuest({ stream, group, id, search, headers }: JoinRequest, { clock, address, tell }: Parts): Unsubscribe {
  const { WebSocket: Socket } = load('ws') as typeof Ws;
  let [over, opened] = [false, false];
  const say = (event: Untimed): void => void (over || tell({ ...event, at: wallTime(clock) } as JoinEvent));
  const end = (event: Untimed): void => {
    say(event);
    over = true;
  };
  const socket: WebSocket = new Socket(search === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${search}`, {
    headers: withoutOurs(headers, OURS), perMessageDeflate: false, followRedirects: false, handshakeTimeout: CONNECT_MS,
  });
  const origin = Object.entries(headers).find(([name]) => name.toLowerCase() === 'origin')?.[1];
  say({ type: 'connecting', address, ...origin !== undefined && { origin } });
  socket.on('unexpected-response', (request: ClientRequest, response: IncomingMessage) => void refusalOf(response).then(end).finally(() => request.destroy()));
  socket.on('open', () => {
    opened = true;
    say({ type: 'connected' });
    const join = { type: 'join', data: { subscriptionId: SUBSCRIPTION, streamName: stream, groupId: group, ...id !== undefined && { id } } };
    socket.send(JSON.stringify(join));
    say({ type: 'sent', message: join });
  });
  socket.on('message', (data: Buffer) => say(receivedOf(data)));
  socket.on('close', (code: number, reason: Buffer) => end({ type: 'closed', code, reason: reason.toString('utf8') }));
  // Of an open connection `close` tells more.
  socket.on('error', (error) => void (opened || end({ type: 'refused', status: 0, code: 'unreachable', detail: error.message })));
  return () => {
    over = true;
    socket.close(NORMAL);
  };
}

async function refusalOf(response: IncomingMessage): Promise<Untimed> {
  let text = '';
  for await (const piece of response) if (text.length < MOST_REASON) text += String(piece);
  const status = response.statusCode ?? 0;
  try {
    const { error, code } = JSON.parse(text) as { readonly error?: string; readonly code?: string };
    return { type: 'refused', status, code: code ?? `http_${status}`, detail: error ?? text };
  } catch {
    return { type: 'refused', status, code: `http_${status}`, detail: text }; // Of a proxy, or a path that serves no streams.
  }
}

function receivedOf(data: Buffer): Untimed {
  const text = data.toString('utf8');
  const message = JSON.parse(text) as { readonly event?: { readonly type?: string; readonly data?: unknown } };
  const items = message.event?.type === 'sync' && Array.isArray(message.event.data) ? message.event.data : undefined;
  const shown = items && items.length > MOST_ITEMS ? { ...message, event: { ...message.event, data: items.slice(0, MOST_ITEMS) } } : message;
  return { type: 'received', bytes: data.length, message: shown as JsonValue, ...items && { items: items.length } };
}
