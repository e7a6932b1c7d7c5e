import { createRequire } from 'node:module';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { SchemaCheck } from '../schema-check.js';
import type { CheckAnswer, CheckReply, CheckRequest, Reading } from './check-messages.js';

/** What is to be read and checked. */
export interface CheckJob {
  /** Text stands for its UTF-8. */
  readonly bytes: Uint8Array | string;
  readonly as: Reading;
  /** Absent when the bytes are only to be read. */
  readonly check: SchemaCheck | undefined;
  /** Whether the verdict is to say the outline of the value, as `outlineOf` gives it. Default: no. */
  readonly outline?: boolean;
}

/**
 * What came of it: why the bytes are no value (a sentence for the client), why the value does not fit, that it was too much for the thread's
 * memory, or an error of our own.
 */
export type CheckVerdict = CheckAnswer | { readonly tooLarge: true };

/** Bytes of JSON or text up to which it is read and checked on the event loop. Four times as much can take 30 ms for each of both, whatever the schema. */
export const SMALL_JSON_BYTES = 64 * 1024;

interface WaitingJob extends CheckJob {
  done: (verdict: CheckVerdict) => void;
}

/** Without work for so long the thread ends, and its memory is free. */
const IDLE_MS = 5_000;
/** Schemas that the thread keeps compiled. */
const MAX_CHECKS = 500;
/** Bytes of the largest value that a thread is made for at least. */
const SMALLEST_ROOM = 1_048_576;

/** Limits of a thread for values of up to so many bytes. */
export type RoomFor = (bytes: number) => ResourceLimits;

/**
 * What has been parsed is garbage soon, and a thread with much room would hold on to it. A MiB of JSON is at most 25 MB as a value.
 */
const roomFor: RoomFor = (bytes) => ({ maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 + 64 * Math.ceil(bytes / SMALLEST_ROOM) });

const ignore = (): void => undefined;

/** Always the built program, also when sources are run through a loader: threads do not take loaders over on every Node. */
const program = (): string => createRequire(import.meta.url).resolve('#check-program');

/**
 * Reads and checks large values outside of the event loop, one after the other, in the order in which they came. The values stay there:
 * only the verdict comes back. Its thread is started by the first job and ends when there was none for a while.
 */
export class CheckThread {
  /** The one of the process, for all modules: each thread would have memory of its own. Nobody closes it. */
  static readonly shared = new CheckThread();

  private readonly waiting = new Set<WaitingJob>();
  private running: WaitingJob | undefined;
  private thread: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  /** Bytes of the largest value that the thread has room for. */
  private room = 0;
  /** What bytes are sent in; it goes to and fro, because a new one for each value would be garbage that the engine sees late. */
  private space: ArrayBuffer | undefined;
  /** What the thread knows, under which number. */
  private readonly known = new Map<SchemaCheck, number>();
  private lastId = 0;

  constructor(private readonly limits: RoomFor = roomFor) {}

  /** Calls `done` once, later. Returns what gives the job up; `done` is not called any more then. */
  judge(job: CheckJob, done: (verdict: CheckVerdict) => void): () => void {
    const waiting: WaitingJob = { ...job, done };
    this.waiting.add(waiting);
    this.next();
    return () => {
      this.waiting.delete(waiting);
      waiting.done = ignore;
    };
  }

  /** Ends the thread; nobody hears of what it still had to do. */
  async close(): Promise<void> {
    this.waiting.clear();
    this.running = undefined;
    await this.end();
  }

  private next(): void {
    if (this.running) return;
    const [job] = this.waiting;
    clearTimeout(this.idle);
    if (!job) {
      this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
      return;
    }
    this.waiting.delete(job);
    this.running = job;
    try {
      this.begin(job);
    } catch (error) {
      // There is no thread or no memory to be had now. What it knows is not known; the next job tries another one.
      void this.end();
      setImmediate(() => { if (this.running === job) this.settle({ error: `large values cannot be checked: ${String(error)}` }); });
    }
  }

  /** @throws when the system has no thread or no memory for it */
  private begin(job: WaitingJob): void {
    // Before the request, which depends on what the thread knows.
    const length = Buffer.byteLength(job.bytes);
    const thread = this.threadFor(length);
    const request = this.requestOf(job, length);
    thread.postMessage(request, [request.space]);
  }

  private requestOf({ bytes, as, check, outline = false }: CheckJob, length: number): CheckRequest {
    const forget = this.known.size >= MAX_CHECKS;
    if (forget) this.known.clear();
    const known = check && this.known.get(check);
    const id = known ?? (check && (this.lastId += 1));
    if (check && id !== undefined) this.known.set(check, id);
    // The bytes are still needed here: they go on to the handler.
    const space = this.space ?? new ArrayBuffer(this.room);
    if (typeof bytes === 'string') Buffer.from(space).write(bytes);
    else new Uint8Array(space).set(bytes);
    return { space, length, as, check: id, outline, source: known === undefined ? check?.source() : undefined, forget };
  }

  private threadFor(bytes: number): Worker {
    if (this.thread && bytes <= this.room) return this.thread;
    void this.end();
    this.room = 2 ** Math.ceil(Math.log2(Math.max(bytes, SMALLEST_ROOM)));
    return this.thread = this.start();
  }

  private start(): Worker {
    const thread = new Worker(program(), { execArgv: [], env: {}, name: 'treadle-check', resourceLimits: this.limits(this.room) });
    this.known.clear();
    this.space = undefined;
    thread.unref();
    thread.on('message', ({ answer, space }: CheckReply) => {
      if (this.thread !== thread) return;
      this.space = space;
      this.settle(answer);
    });
    thread.on('error', (error: NodeJS.ErrnoException) => this.lost(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { tooLarge: true } : { error: String(error.stack) }));
    thread.on('exit', (code) => this.lost(thread, { error: `the thread that checks large values ended with code ${code}` }));
    return thread;
  }

  private lost(thread: Worker, verdict: CheckVerdict): void {
    if (this.thread !== thread) return;
    this.thread = undefined;
    this.settle(verdict);
  }

  private settle(verdict: CheckVerdict): void {
    const { running } = this;
    this.running = undefined;
    // The thread may not have come to know its schema.
    if ('error' in verdict && running?.check) this.known.delete(running.check);
    this.next();
    running?.done(verdict);
  }

  private async end(): Promise<void> {
    clearTimeout(this.idle);
    const { thread } = this;
    this.thread = this.space = undefined;
    await thread?.terminate();
  }
}
