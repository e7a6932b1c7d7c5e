/** The heartbeat's own thread and connection; see `heartbeat.ts`. */
import { PROTOCOL_VERSION, type WorkerMessage } from '@treadle/protocol';
import { workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { SDK_VERSION } from '../version.js';
import type { HeartbeatData } from './heartbeat.js';
import { LoopWatch } from './loop-watch.js';

const RECONNECT_MS = 1_000;

const { url, token, session, intervalMs, tickMs, pid, ticks } = workerData as HeartbeatData;
const counter = new Int32Array(ticks);
const watch = new LoopWatch({ ticks: () => Atomics.load(counter, 0), now: () => performance.now(), tickMs });
let socket: WebSocket | undefined;

setInterval(() => watch.sample(), tickMs);
setInterval(() => say({ type: 'alive', loopDelayMs: watch.take() }), intervalMs);
connect();

function connect(): void {
  const connection = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: intervalMs });
  socket = connection;
  connection.on('open', () => say({
    type: 'hello', role: 'heartbeat', protocol: PROTOCOL_VERSION, runtime: 'node', runtimeVersion: process.version,
    sdkVersion: SDK_VERSION, token, pid, session,
  }));
  // Followed by `close`.
  connection.on('error', () => undefined);
  // The main connection decides about the session; as long as it stands the heartbeat comes back.
  connection.on('close', () => setTimeout(connect, RECONNECT_MS));
}

function say(message: WorkerMessage): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify([message]));
}
