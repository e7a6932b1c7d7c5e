import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineMessage, WorkerMessage } from '@treadle/protocol';
import { WebSocketServer, type WebSocket } from 'ws';
import { PYTHON_CHILD } from './python-package.js';

/** A line of a golden conversation. */
export interface Line {
  readonly from: 'worker' | 'engine';
  readonly connection?: 'heartbeat';
  readonly frame?: readonly (WorkerMessage | EngineMessage)[];
  readonly close?: number;
}

export function goldenLines(file: string): Line[] {
  const text = readFileSync(new URL(`../../../core/protocol/fixtures/${file}.jsonl`, import.meta.url), 'utf8');
  return text.trim().split('\n').map((line) => JSON.parse(line) as Line);
}

/** What one connection of the worker has said and not been asked for yet. */
class Ear {
  readonly heard: WorkerMessage[] = [];
  closed: number | undefined;
  readonly events = new EventEmitter();

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      this.heard.push(...JSON.parse(String(data)) as WorkerMessage[]);
      this.events.emit('any');
    });
    socket.on('close', (code) => {
      this.closed = code;
      this.events.emit('any');
    });
  }

  async next(): Promise<WorkerMessage> {
    while (this.heard.length === 0) {
      if (this.closed !== undefined) throw new Error(`the worker left with ${this.closed}`);
      await once(this.events, 'any', { signal: AbortSignal.timeout(60_000) });
    }
    return this.heard.shift() as WorkerMessage;
  }

  async end(): Promise<number> {
    while (this.closed === undefined) await once(this.events, 'any', { signal: AbortSignal.timeout(60_000) });
    return this.closed;
  }
}

/** An engine that says what it is told to, to a real Python worker. */
export class ScriptedEngine {
  readonly folder = mkdtempSync(join(tmpdir(), 'treadle-talk-'));
  readonly socket = join(this.folder, 's');
  private readonly http: Server = createServer();
  private readonly ears: Ear[] = [];
  private readonly events = new EventEmitter();
  private worker: ChildProcess | undefined;
  errors = '';

  async listen(): Promise<void> {
    const server = new WebSocketServer({ server: this.http, perMessageDeflate: false });
    server.on('connection', (socket) => {
      this.ears.push(new Ear(socket));
      this.events.emit('any');
    });
    this.http.listen(this.socket);
    await once(this.http, 'listening');
  }

  /** Starts a child that serves a folder. */
  start(root: string, token: string, python = 'python3'): void {
    const child = this.worker = spawn(python, ['-u', PYTHON_CHILD], { stdio: ['pipe', 'ignore', 'pipe'] });
    child.stderr?.on('data', (text: Buffer) => { this.errors += text.toString(); });
    child.stdin?.write(`${JSON.stringify({ socketUrl: `ws+unix:${this.socket}:/`, token, childId: 'python-0-1', root, mode: 'production' })}\n`);
  }

  /** The n-th connection of the worker: 0 is the main one. */
  async ear(index: number): Promise<Ear> {
    while (this.ears.length <= index) await once(this.events, 'any', { signal: AbortSignal.timeout(60_000) });
    return this.ears[index] as Ear;
  }

  async say(index: number, frame: readonly unknown[]): Promise<void> {
    (await this.ear(index)).socket.send(JSON.stringify(frame));
  }

  /** As if its process were gone: pipes and connections break. */
  async vanish(): Promise<void> {
    for (const stream of [this.worker?.stdin, this.worker?.stderr]) stream?.destroy();
    (await this.ear(0)).socket.terminate();
  }

  async exitCode(): Promise<number | null> {
    if (this.worker && this.worker.exitCode === null) await once(this.worker, 'exit');
    return this.worker?.exitCode ?? null;
  }

  async close(): Promise<void> {
    this.worker?.kill('SIGKILL');
    for (const ear of this.ears) ear.socket.terminate();
    this.http.close();
    rmSync(this.folder, { recursive: true, force: true });
    return Promise.resolve();
  }
}
