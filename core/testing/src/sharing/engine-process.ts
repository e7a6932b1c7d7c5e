import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HarnessOptions } from '../adapter-harness.js';
import { forkKitChild } from '../suite/kit-child.js';

const CHILD = new URL('./engine-child.js', import.meta.url);

/** What the process is told at its start, as JSON. */
export interface EngineProcessOptions extends HarnessOptions {
  /** How far its clock is ahead of the machine's; milliseconds. */
  readonly clockAheadMs: number;
  /** Methods of the adapter that take a listener; what the listeners are given comes as `told`. */
  readonly listens: readonly string[];
}

/** What goes to the process. */
export interface EngineCall {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What comes from it. */
export type EngineReport =
  | { readonly ready: true }
  | { readonly id: number; readonly value?: unknown; readonly error?: { readonly code?: string | undefined; readonly message: string } }
  | { readonly told: string; readonly args: readonly unknown[] };

/**
 * An adapter in an engine of its own, in a process of its own: what several engines do to one store. Its methods take and give plain data, so
 * that they are called over the process's channel.
 */
export class EngineProcess<A extends object> {
  /** The adapter, without what takes functions. */
  readonly adapter: A;
  /** What its listeners were told, by method. */
  readonly told: { readonly method: string; readonly args: readonly unknown[] }[] = [];
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private calls = 0;
  private problems = '';

  private constructor(private readonly child: ChildProcess) {
    this.adapter = new Proxy({} as A, {
      get: (_target, method) => (typeof method === 'string' && method !== 'then' ? (...args: unknown[]) => this.call(method, args) : undefined),
    });
    child.stderr?.on('data', (chunk: Buffer) => { this.problems += chunk.toString(); });
    child.on('message', (report: EngineReport) => this.take(report));
    child.on('exit', () => this.fail(new Error(`the engine's process has ended: ${this.problems}`)));
  }

  /**
   * Starts the process; `name` tells the engines of one store apart.
   * @throws an `Error` when the adapter cannot start
   */
  static async start<A extends object>(name: string, options: HarnessOptions, { listens, clockAheadMs = 0 }: { listens: readonly string[]; clockAheadMs?: number }): Promise<EngineProcess<A>> {
    const { clock: _clock, ...plain } = options;
    const told: EngineProcessOptions = { ...plain, root: join(options.root, name), listens, clockAheadMs };
    const child = forkKitChild(CHILD, told, ['ignore', 'inherit', 'pipe', 'ipc']);
    const started = new EngineProcess<A>(child);
    const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]) as [EngineReport | number | null];
    if (typeof first !== 'object' || first === null) throw new Error(`the engine did not start: ${started.problems}`);
    return started;
  }

  /** Ends it cleanly. */
  async stop(): Promise<void> {
    if (this.isOver) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGCONT');
    this.child.disconnect();
    await ended;
  }

  /** Ends it at once (SIGKILL). */
  async kill(): Promise<void> {
    if (this.isOver) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** Holds it up (SIGSTOP), as a machine that is out of breath does. */
  hold(): void {
    this.child.kill('SIGSTOP');
  }

  /** Lets it go on. */
  release(): void {
    this.child.kill('SIGCONT');
  }

  private get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private call(method: string, args: readonly unknown[]): Promise<unknown> {
    this.calls += 1;
    const call: EngineCall = { id: this.calls, method, args };
    return new Promise((resolve, reject) => {
      this.waiting.set(call.id, { resolve, reject });
      this.child.send(call, (error) => error && reject(error));
    });
  }

  private take(report: EngineReport): void {
    if ('told' in report) this.told.push({ method: report.told, args: report.args });
    if (!('id' in report)) return;
    const call = this.waiting.get(report.id);
    this.waiting.delete(report.id);
    if (report.error) call?.reject(Object.assign(new Error(report.error.message), { code: report.error.code }));
    else call?.resolve(report.value);
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
