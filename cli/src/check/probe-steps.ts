import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { treadleError } from '@treadle/api';
import type { StepFile, StepFileProblem, StepFileReport } from '@treadle/worker';
import { withoutEngineSecrets } from '@treadle/worker/engine-secrets';
import type { Environment } from '../application/dotenv.js';
import type { ProbeMessage } from './probe-messages.js';

/** Longest import of one Step file. */
const FILE_LIMIT_MS = 10_000;
/** Longest start of the process that imports them, for which no file is to blame. */
const START_LIMIT_MS = 60_000;
const PROBE = fileURLToPath(new URL('./probe-process.js', import.meta.url));

/** Which files to import, and how. */
export interface ProbeOptions {
  /** Absolute root of the application. */
  readonly root: string;
  readonly files: readonly StepFile[];
  readonly env: Environment;
  /** Called before each file; `done` counts finished ones. */
  readonly onFile?: (file: string, done: number) => void;
  /** Default 10000. */
  readonly fileLimitMs?: number;
  /** Default 60000. */
  readonly startLimitMs?: number;
}

/**
 * Imports each Step file in a short-lived process of its own and returns what it exports, one report per file. A file
 * that takes too long or ends the process gets a report that says so; the rest go on in a new process.
 * @throws {SERVICE_UNAVAILABLE} when a process does not come to its first file
 */
export async function probeSteps(options: ProbeOptions): Promise<readonly StepFileReport[]> {
  const reports: StepFileReport[] = [];
  while (reports.length < options.files.length) {
    const probe = new Probe(options, options.files.slice(reports.length), reports.length);
    const letGo = endWithProcess(probe);
    reports.push(...await probe.run().finally(letGo));
  }
  return reports;
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A file that blocks its process would outlive this one: a signal ends both. Returns how to stop listening. */
function endWithProcess(probe: Probe): () => void {
  const listeners = Object.entries(SIGNALS).map(([signal, number]) => {
    const end = (): void => {
      probe.kill();
      process.exit(128 + number);
    };
    process.once(signal, end);
    return () => process.off(signal, end);
  });
  return () => { for (const letGo of listeners) letGo(); };
}

/** One probe process. Ends with a report for each file, or for those up to the one that it did not survive. */
class Probe {
  private readonly reports: StepFileReport[] = [];
  private readonly child: ChildProcess;
  private timer: NodeJS.Timeout | undefined;
  private late = false;
  /** It has come to a file: what happens from then on is that file's. */
  private begun = false;

  constructor(private readonly options: ProbeOptions, private readonly files: readonly StepFile[], private readonly done: number) {
    this.child = fork(PROBE, [], {
      cwd: options.root, env: withoutEngineSecrets(options.env), stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [],
    });
  }

  run(): Promise<readonly StepFileReport[]> {
    const { root } = this.options;
    return new Promise((resolve, reject) => {
      this.child.on('message', (message: ProbeMessage) => this.hear(message));
      this.child.once('error', reject);
      // "exit" may come before the last messages; "disconnect" comes after them.
      this.child.once('disconnect', () => this.kill());
      this.child.once('close', (code, signal) => {
        clearTimeout(this.timer);
        if (this.begun) resolve(this.finish(code, signal));
        else reject(this.noBegin(code, signal));
      });
      const esbuild = createRequire(import.meta.url).resolve('esbuild');
      // Not where there were no file handles for it, which `error` tells.
      if (this.child.connected) this.child.send({ root, esbuild, files: this.files });
      this.watch(this.options.startLimitMs ?? START_LIMIT_MS);
    });
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private hear(message: ProbeMessage): void {
    this.begun = true;
    if (message.kind === 'loading') this.options.onFile?.(message.file, this.done + this.reports.length);
    else this.reports.push(message.report);
    this.watch();
  }

  private watch(limitMs = this.options.fileLimitMs ?? FILE_LIMIT_MS): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.late = true;
      this.kill();
    }, limitMs);
  }

  private finish(code: number | null, signal: NodeJS.Signals | null): readonly StepFileReport[] {
    const culprit = this.files[this.reports.length];
    if (culprit === undefined) return this.reports;
    return [...this.reports, { ...culprit, steps: [], problem: this.problem(code, signal) }];
  }

  /** No file is to blame, and another process would do no better. */
  private noBegin(code: number | null, signal: NodeJS.Signals | null): Error {
    const { startLimitMs = START_LIMIT_MS } = this.options;
    const reason = this.late ? `it did not begin within ${startLimitMs / 1000} s` : `it ended with ${howOf(code, signal)} before it imported a file`;
    return treadleError('SERVICE_UNAVAILABLE', { service: 'the process that imports Step files', reason });
  }

  private problem(code: number | null, signal: NodeJS.Signals | null): StepFileProblem {
    const seconds = (this.options.fileLimitMs ?? FILE_LIMIT_MS) / 1000;
    if (this.late) return { kind: 'timeout', message: `the file did not finish loading in ${seconds} s` };
    return { kind: 'import', message: `the process ended with ${howOf(code, signal)} while the file was loaded` };
  }
}

function howOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `signal ${signal}` : `exit code ${String(code)}`;
}
