import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type * as Ws from 'ws';
import type { Caller } from '../access/caller.js';
import type { Surroundings } from '../api/surroundings.js';
import { cutOffUnread } from '../server/unread.js';
import { EngineLoad } from './engine-load.js';
import { LiveClient } from './live-client.js';
import { LiveTopics } from './live-topics.js';
import { Pace } from './pace.js';

const load = createRequire(import.meta.url);
/** Longest message of a client, in bytes. */
const MAX_MESSAGE = 64 * 1024;
const MAX_CLIENTS = 100;
/** Close codes: of WebSocket, and as streams use them. */
const SERVICE_RESTART = 1012;
const TRY_LATER = 1013;
/**
 * Longest that what has happened waits to be sent. A piece of sending is bounded by what came since the last one: of a log of 1,200 lines a second
 * that is some 5 ms, which were 1 s of rest, and 10 ms the next time, and so on up to the longest.
 */
const LONGEST_SILENCE_MS = 700;
export const LIVE_PATH = '/api/v1/live';

/** The WebSocket of the console: what happens, for every open page. */
export class LiveServer {
  private server: WebSocketServer | undefined;
  /** Of what is sent. What is read for pages has a pace of its own: one value that takes long to read would keep all that happens from them. */
  private readonly sending: Pace;
  private readonly topics: LiveTopics;
  private readonly clients = new Set<LiveClient>();
  private closed = false;

  constructor(private readonly surroundings: Surroundings) {
    const half = { clock: surroundings.clock, load: new EngineLoad(), part: 0.5 };
    this.sending = new Pace({ ...half, longestRestMs: LONGEST_SILENCE_MS });
    this.topics = new LiveTopics(surroundings, new Pace(half));
    surroundings.access.sessions.onEnd((caller) => this.signOut(caller));
  }

  /** Takes over a connection that the guard has let in. `ws` is loaded by the first one: a start does not wait for it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void {
    const { WebSocketServer: Server } = load('ws') as typeof Ws;
    this.server ??= new Server({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });
    this.server.handleUpgrade(request, socket, head, (client) => {
      // Ws has switched off what the server had set.
      cutOffUnread(socket as Socket);
      if (this.closed) client.close(SERVICE_RESTART, 'draining');
      else if ((this.server?.clients.size ?? 0) > MAX_CLIENTS) client.close(TRY_LATER, 'too many pages are open');
      else this.serve(client, caller);
    });
  }

  private serve(socket: WebSocket, caller: Caller): void {
    const client = new LiveClient({ socket, topics: this.topics, pace: this.sending, caller, surroundings: this.surroundings });
    this.clients.add(client);
    socket.on('close', () => this.clients.delete(client));
  }

  private signOut(ended: Caller): void {
    for (const client of this.clients) if (client.caller === ended) client.signOut();
  }

  /** Says good-bye to all; they come back to the next engine. */
  close(): void {
    this.closed = true;
    for (const client of this.server?.clients ?? []) client.close(SERVICE_RESTART, 'draining');
  }

  /** Cuts off who is still there. */
  end(): void {
    this.close();
    for (const client of this.server?.clients ?? []) client.terminate();
  }
}
