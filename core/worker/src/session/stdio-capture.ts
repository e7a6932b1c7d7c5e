import { Run } from '../running/run.js';
import type { RunnerLogEntry } from '../runner-host.js';

type Level = RunnerLogEntry['level'];
type StreamName = 'stdout' | 'stderr';
type Write = (chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => boolean;

/** A line that has no end by then is cut here, in characters. */
const MAX_LINE = 64 * 1024;
const LEVELS: Readonly<Record<StreamName, Level>> = { stdout: 'info', stderr: 'error' };

/**
 * Takes what handlers print (console, process.stdout, process.stderr) into the log, with the Step that printed it. What is
 * printed outside a handler goes where it always went. Lines are kept per handler and stream, so that handlers that run at
 * the same time do not mix.
 */
export class StdioCapture {
  readonly #rests = new WeakMap<Run, Partial<Record<StreamName, string>>>();
  readonly #passOn: boolean;
  /** The console is being written to: what it writes at once is one record, however many lines it has. */
  #console: { readonly level: Level | undefined } | undefined;

  /** `passOn`: what handlers print also goes where it always went. */
  constructor(passOn = false) {
    this.#passOn = passOn;
  }

  /** From now on, for the life of the process. */
  start(): void {
    this.#take('stdout');
    this.#take('stderr');
    // Where the console tells them apart better than its streams do.
    this.#watch('warn', 'warn');
    this.#watch('debug', 'debug');
    for (const method of ['log', 'info', 'error', 'trace', 'dir', 'table'] as const) this.#watch(method, undefined);
  }

  #take(name: StreamName): void {
    const stream = process[name];
    const original = stream.write.bind(stream) as Write;
    const write: Write = (chunk, encoding, done) => {
      const run = Run.current();
      if (!run) return original(chunk, encoding, done);
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      this.#print(run, name, text);
      if (this.#passOn) return original(chunk, encoding, done);
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') process.nextTick(callback as () => void);
      return true;
    };
    stream.write = write as typeof stream.write;
  }

  #watch(method: 'log' | 'info' | 'error' | 'trace' | 'dir' | 'table' | 'warn' | 'debug', level: Level | undefined): void {
    // eslint-disable-next-line no-console -- the application's console, not ours
    const original = console[method].bind(console) as (...values: unknown[]) => void;
    // eslint-disable-next-line no-console -- as above
    console[method] = (...values: unknown[]): void => {
      const before = this.#console;
      // `trace` and `table` come down to other methods.
      this.#console = { level: level ?? before?.level };
      try {
        original(...values);
      } finally {
        this.#console = before;
      }
    };
  }

  #print(run: Run, name: StreamName, text: string): void {
    const rests = this.#rests.get(run) ?? this.#remember(run);
    const whole = (rests[name] ?? '') + text;
    const lines = this.#console ? [whole.replace(/\r?\n$/, ''), ''] : whole.split('\n');
    let rest = lines.pop() ?? '';
    for (const line of lines) this.#line(run, name, line);
    if (rest.length > MAX_LINE) {
      this.#line(run, name, rest);
      rest = '';
    }
    rests[name] = rest;
  }

  /** What a handler printed without a line end is told when it has finished. */
  #remember(run: Run): Partial<Record<StreamName, string>> {
    const rests: Partial<Record<StreamName, string>> = {};
    this.#rests.set(run, rests);
    run.onFinish(() => {
      for (const name of ['stdout', 'stderr'] as const) {
        if (rests[name]) this.#line(run, name, rests[name]);
        rests[name] = '';
      }
    });
    return rests;
  }

  #line(run: Run, name: StreamName, line: string): void {
    run.log(this.#console?.level ?? LEVELS[name], line.endsWith('\r') ? line.slice(0, -1) : line, { stream: name });
  }
}
