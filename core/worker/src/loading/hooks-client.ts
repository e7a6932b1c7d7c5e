import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { contextTracking } from 'treadle';
import type { ParentWatch } from '../session/watch-parent.js';
import type { HookProblem, HookReply, HookReport, HookRequest, RootSettings } from './hook-messages.js';

type Register = (specifier: string, options: {
  parentURL: string; data: { port: MessagePort; tracking: Uint8Array }; transferList: MessagePort[];
}) => void;
type Unnumbered<R> = R extends HookRequest ? Omit<R, 'id'> : never;

/** The main thread's end of the module hooks; one per process, whatever the number of runners. */
export class HooksClient {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (reply: HookReply) => void>();
  readonly #stamps = new Map<string, number>();
  #requests = 0;
  #stamp = 0;

  private constructor(register: Register) {
    // The hooks' thread cannot start in a folder that is gone, and Node would wait for it for ever.
    if (!existsSync(process.cwd())) throw new Error(`the working directory ${process.cwd()} does not exist any more`);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (reply: HookReply) => {
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
      if (this.#waiting.size === 0) port1.unref();
    });
    port1.unref();
    register('./hooks.js', { parentURL: import.meta.url, data: { port: port2, tracking: contextTracking() }, transferList: [port2] });
  }

  /** False where Node has no module hooks (before 18.19). */
  static get supported(): boolean {
    return register !== undefined;
  }

  /** Undefined where Node has no module hooks: then only what Node itself understands is loaded. */
  static open(): HooksClient | undefined {
    return register && (shared ??= new HooksClient(register));
  }

  async addRoot(settings: RootSettings): Promise<void> {
    await this.#ask({ type: 'root', settings });
  }

  /** The hooks' thread sees to it that this process does not outlive its parent, even while its main thread is blocked. */
  async watch(watch: ParentWatch): Promise<void> {
    await this.#ask({ type: 'watch', watch });
  }

  /** Gives these files a new version: whoever imports them next gets a new instance. */
  async renew(files: Iterable<string>): Promise<void> {
    const stamp = ++this.#stamp;
    for (const file of files) this.#stamps.set(file, stamp);
    await this.#ask({ type: 'stamps', stamps: this.#stamps });
  }

  /** What stands behind the URL of a file's current version. */
  query(file: string): string {
    const stamp = this.#stamps.get(file);
    return stamp === undefined ? '' : `?t=${stamp}`;
  }

  async report(): Promise<HookReport> {
    return (await this.#ask({ type: 'report' })).report as HookReport;
  }

  async findSyntaxError(files: readonly string[]): Promise<HookProblem | undefined> {
    return (await this.#ask({ type: 'syntax', files })).problem;
  }

  #ask(request: Unnumbered<HookRequest>): Promise<HookReply> {
    const id = ++this.#requests;
    this.#port.ref();
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#port.postMessage({ ...request, id });
    });
  }
}

let shared: HooksClient | undefined;
const { register } = nodeModule as unknown as { register?: Register };
