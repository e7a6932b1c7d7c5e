import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { treadleError } from '@treadle/api';
import type { StorageFault } from '../driver/storage-fault.js';
import type { Committer } from './committer.js';
import type { GroupRequest, GroupResult } from './group-executor.js';
import type { FromThread, ThreadData, ToThread } from './thread-messages.js';

/**
 * MB of what was allocated lately, dead or alive. V8 would take up to 48 once a few large rows have passed, and keep them; a row lives for one group, so that
 * collecting more often costs little.
 */
const YOUNG_MB = 12;

/** Always the built program, also when sources are run through a loader: threads do not take loaders over on every Node. */
function program(): string {
  return createRequire(import.meta.url).resolve('#writer-thread');
}

/** Rejects when the thread fails or ends without one. */
function firstMessage(thread: Worker): Promise<FromThread> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the writer thread ended with code ${code} before it was ready`)));
  });
}

/** Commits in a thread of its own, so that an fsync never blocks the event loop. */
export class ThreadCommitter implements Committer {
  readonly kind = 'thread';
  onEnd: ((fault: StorageFault) => void) | undefined;
  private done: ((result: GroupResult) => void) | undefined;
  private running: readonly GroupRequest[] = [];
  private closing = false;

  private constructor(private readonly thread: Worker) {
    thread.on('message', (message: FromThread) => {
      if (message.type === 'result') this.finish(message.result);
      if (message.type === 'broken') this.onEnd?.(message.fault);
    });
    thread.on('error', (error) => this.ended(error.message));
    thread.on('exit', (code) => this.ended(`the writer thread ended with code ${code}`));
  }

  /**
   * Starts the thread.
   * @throws {STORE_UNUSABLE} when the thread cannot open the file, or ends before it says whether it can
   */
  static async start(data: ThreadData, file: string | URL = program()): Promise<ThreadCommitter> {
    const thread = new Worker(file, { workerData: data, execArgv: [], name: 'treadle-sqlite-writer', resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    try {
      const first = await firstMessage(thread);
      if (first.type === 'refused') throw new Error(first.reason);
    } catch (cause) {
      await thread.terminate();
      throw treadleError('STORE_UNUSABLE', { file: data.file, reason: (cause as Error).message }, { cause });
    }
    return new ThreadCommitter(thread);
  }

  commit(requests: readonly GroupRequest[], done: (result: GroupResult) => void): void {
    this.running = requests;
    this.done = done;
    this.send({ type: 'group', requests });
  }

  tidy(): void {
    this.send({ type: 'tidy' });
  }

  look(): void {
    this.send({ type: 'look' });
  }

  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    const ended = once(this.thread, 'exit');
    this.send({ type: 'close' });
    await ended;
  }

  abandon(): void {
    this.closing = true;
    this.thread.unref();
  }

  private send(message: ToThread): void {
    this.thread.postMessage(message);
  }

  private finish(result: GroupResult): void {
    const { done } = this;
    this.done = undefined;
    done?.(result);
  }

  private ended(reason: string): void {
    if (this.closing) return;
    this.closing = true;
    const fault = { kind: 'io', reason } as const;
    this.finish({ fault, outcomes: this.running.map(() => ({ ok: false, fault })) });
    this.onEnd?.(fault);
  }
}
