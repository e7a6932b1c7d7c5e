/** The heartbeat's own thread and connection; see `heartbeat.ts`. */
import { type EngineMessage, parseFrame, PROTOCOL_VERSION, type WithdrawalMessage, type WorkerMessage } from '@treadle/protocol';
import { workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { SDK_VERSION } from '../version.js';
import { CallGate } from './call-gate.js';
import type { HeartbeatData } from './heartbeat.js';
import { LoopWatch } from './loop-watch.js';
import { watchParent } from './watch-parent.js';

const RECONNECT_MS = 1_000;

const { url, token, session, intervalMs, tickMs, pid, ticks, gate: memory, parent } = workerData as HeartbeatData;
const counter = new Int32Array(ticks);
const gate = new CallGate(memory);
const watch = new LoopWatch({ ticks: () => Atomics.load(counter, 0), now: () => performance.now(), tickMs });
let socket: WebSocket | undefined;

setInterval(look, tickMs);
setInterval(beat, intervalMs);
if (parent !== undefined) watchParent({ pid, parent });
connect();

/** A loop that stands still is told at once: what it has not begun can go elsewhere. */
function look(): void {
  watch.sample();
  if (watch.isHeld && !isDebugged()) say({ type: 'alive', loopDelayMs: watch.take(), held: true });
}

function beat(): void {
  const loopDelayMs = watch.take();
  say({ type: 'alive', loopDelayMs: isDebugged() ? 0 : loopDelayMs });
}

function isDebugged(): boolean {
  return Atomics.load(counter, 1) === 1;
}

function connect(): void {
  const connection = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: intervalMs });
  socket = connection;
  connection.on('open', () => say({
    type: 'hello', role: 'heartbeat', protocol: PROTOCOL_VERSION, runtime: 'node', runtimeVersion: process.version,
    sdkVersion: SDK_VERSION, token, pid, session, withdraws: true,
  }));
  connection.on('message', (frame: Buffer) => say(...answers(frame.toString())));
  // Followed by `close`.
  connection.on('error', () => undefined);
  // The main connection decides about the session; as long as it stands the heartbeat comes back.
  connection.on('close', () => setTimeout(connect, RECONNECT_MS));
}

/** What is no `withdraw` concerns the main connection. */
function answers(frame: string): WorkerMessage[] {
  const asked = (parseFrame<EngineMessage>(frame) ?? []).filter((message) => message.type === 'withdraw');
  return asked.map(({ id }) => withdraw(id));
}

function withdraw(id: number): WithdrawalMessage {
  const done = gate.withdraw(id);
  return { type: 'withdrawal', id, done, ...(!done && gate.hasEnded(id) && { ended: true }) };
}

function say(...messages: WorkerMessage[]): void {
  if (messages.length > 0 && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(messages));
}
