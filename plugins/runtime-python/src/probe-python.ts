import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type StepFile, type StepFileProblem, type StepFileReport, treadleError } from '@treadle/api';
import { withoutEngineSecrets } from '@treadle/worker/engine-secrets';
import { findPython } from './find-python.js';
import { PYTHON_PROBE } from './python-package.js';

/** Longest import of one Step file, and a little more than the process itself gives it; milliseconds. */
const FILE_LIMIT_MS = 12_000;
/** Longest start of the process that imports them, for which no file is to blame. */
const START_LIMIT_MS = 60_000;

/** Which files to import, and how. */
export interface ProbePythonOptions {
  /** Absolute root of the application. */
  readonly root: string;
  readonly files: readonly StepFile[];
  readonly env: NodeJS.ProcessEnv;
  /** What the configuration names as the interpreter. */
  readonly python?: string | undefined;
  /** Called before each file; `done` counts finished ones. */
  readonly onFile?: ((file: string, done: number) => void) | undefined;
  /** Default 12000. */
  readonly fileLimitMs?: number | undefined;
  /** Default 60000. */
  readonly startLimitMs?: number | undefined;
  /** Ends the process that is under way; the promise then rejects. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Imports Python Step files in a short-lived process and returns what they declare, one report per file. A file that takes
 * too long or ends the process gets a report that says so; the rest go on in a new process. Without an interpreter each
 * file's report says that.
 * @throws the reason of `signal`; {SERVICE_UNAVAILABLE} when a process does not come to its first file
 */
export async function probePython(options: ProbePythonOptions): Promise<readonly StepFileReport[]> {
  const { root, files, env, python, signal } = options;
  if (files.length === 0) return [];
  const found = await findPython({ root, python, env });
  if ('problem' in found) return files.map((file) => ({ ...file, steps: [], problem: { kind: 'interpreter', message: found.problem } }));
  const reports: StepFileReport[] = [];
  while (reports.length < files.length) {
    signal?.throwIfAborted();
    reports.push(...await new Probe(found.command, options, reports.length).run());
  }
  return reports;
}

/** One process. Ends with a report for each file, or for those up to the one that it did not survive. */
class Probe {
  private readonly reports: StepFileReport[] = [];
  private readonly child: ChildProcess;
  private readonly files: readonly StepFile[];
  private readonly limitMs: number;
  private timer: NodeJS.Timeout | undefined;
  private late = false;
  /** It has come to a file: what happens from then on is that file's. */
  private begun = false;

  constructor(command: string, private readonly options: ProbePythonOptions, private readonly done: number) {
    const { root, files, env, fileLimitMs = FILE_LIMIT_MS, signal } = options;
    this.files = files.slice(done);
    this.limitMs = fileLimitMs;
    this.child = spawn(command, [PYTHON_PROBE], { cwd: root, env: withoutEngineSecrets(env), stdio: ['pipe', 'pipe', 'ignore'], signal, killSignal: 'SIGKILL' });
  }

  run(): Promise<readonly StepFileReport[]> {
    const { child, files } = this;
    const { root } = this.options;
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(this.timer);
        if (this.begun) resolve(this.finish(code, signal));
        else reject(this.noBegin(code, signal));
      });
      child.stdin?.on('error', () => undefined); // it died before it could read; its end says why
      child.stdin?.end(`${JSON.stringify({ root, files })}\n`);
      if (child.stdout) createInterface(child.stdout).on('line', (line) => this.hear(line));
      this.watch(this.options.startLimitMs ?? START_LIMIT_MS);
    });
  }

  private hear(line: string): void {
    this.begun = true;
    const { loading, report } = JSON.parse(line) as { loading?: string; report?: StepFileReport };
    if (loading !== undefined) this.options.onFile?.(loading, this.done + this.reports.length);
    if (report) this.reports.push(report);
    this.watch();
  }

  private watch(limitMs = this.limitMs): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.late = true;
      this.child.kill('SIGKILL');
    }, limitMs);
  }

  private finish(code: number | null, signal: NodeJS.Signals | null): readonly StepFileReport[] {
    const culprit = this.files[this.reports.length];
    return culprit === undefined ? this.reports : [...this.reports, { ...culprit, steps: [], problem: this.problem(code, signal) }];
  }

  /** No file is to blame, and another process would do no better. */
  private noBegin(code: number | null, signal: NodeJS.Signals | null): Error {
    const { startLimitMs = START_LIMIT_MS } = this.options;
    const reason = this.late ? `it did not begin within ${startLimitMs / 1000} s` : `it ended with ${howOf(code, signal)} before it imported a file`;
    return treadleError('SERVICE_UNAVAILABLE', { service: 'the process that imports Step files', reason });
  }

  private problem(code: number | null, signal: NodeJS.Signals | null): StepFileProblem {
    if (this.late) return { kind: 'timeout', message: `the file did not finish loading in ${this.limitMs / 1000} s` };
    return { kind: 'import', message: `the process ended with ${howOf(code, signal)} while the file was loaded` };
  }
}

function howOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `signal ${signal}` : `exit code ${String(code)}`;
}
