import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MetricPoint, SpanNotes, StepFileReport, WorkerSpan } from '@treadle/protocol';
import { OperationError } from 'treadle';
import type { PrebuiltStep } from './loading/step-catalog.js';
import type { Caller, RunnerLogEntry } from './runner-host.js';
import type { InvokeInput, RunFailure, RunHttpResult, RunOutcome } from './running/invoke.js';
import { StepRunner } from './step-runner.js';

export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
export const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

export type Handler = (input: never, ctx: never) => unknown;

/** A runner whose host records what it is asked. */
export interface Bench {
  readonly runner: StepRunner;
  readonly calls: { id: number; op: string; args: unknown }[];
  readonly logs: (RunnerLogEntry & { id: number | undefined })[];
  readonly spans: WorkerSpan[];
  readonly points: MetricPoint[];
  /** What handlers said of their spans, in the order of their answers. */
  readonly notes: (SpanNotes | undefined)[];
  /** Answers operations; rejects by default. */
  answer: (op: string, args: unknown) => unknown;
  /** Starts Step `name` by its first trigger of the kind and resolves to the outcome. */
  run(name: string, invoke?: Partial<InvokeInput>): Promise<RunOutcome>;
  http(name: string, input?: object, invoke?: Partial<InvokeInput>): Promise<RunHttpResult>;
  failure(name: string, invoke?: Partial<InvokeInput>): Promise<RunFailure>;
}

let lastId = 0;

export function bench(options: { root?: string; mode?: 'development' | 'production'; inProcess?: boolean; importTimeoutMs?: number; opens?: boolean; given?: Record<string, unknown>; onReports?: (reports: readonly StepFileReport[]) => void } = {}): Bench {
  const calls: Bench['calls'] = [];
  const logs: Bench['logs'] = [];
  const [spans, points, notes]: [WorkerSpan[], MetricPoint[], Bench['notes']] = [[], [], []];
  const runner = new StepRunner({
    root: tmpdir(), mode: 'development', ...options,
    host: {
      log: (id, entry) => void logs.push({ ...entry, id }),
      spans: (more) => void spans.push(...more),
      measurements: (more) => void points.push(...more),
    },
  });
  const caller: Caller = {
    operation: async (id, op, args) => {
      calls.push({ id, op, args });
      return made.answer(op, args);
    },
  };
  const run: Bench['run'] = (step, invoke) => new Promise((resolve) => {
    const trigger = { type: 'http', index: 0 };
    const input = invoke?.trigger && invoke.trigger.type !== 'http' ? undefined : httpInput();
    runner.start({ id: ++lastId, step, trigger, input, traceparent: TRACEPARENT, timeoutMs: 30_000, attempt: 1, ...invoke }, caller, (outcome, said) => {
      notes.push(said);
      resolve(outcome);
    });
  });
  const made: Bench = {
    runner, calls, logs, spans, points, notes, run,
    answer: (op) => { throw new OperationError('OPERATION_UNAVAILABLE', `nobody serves ${op}`); },
    http: async (name, input, invoke) => {
      const outcome = await run(name, { input: httpInput(input), ...invoke });
      if (!outcome.ok || !outcome.http) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
      return outcome.http;
    },
    failure: async (name, invoke) => {
      const outcome = await run(name, invoke);
      if (outcome.ok) throw new Error(`unexpected success: ${JSON.stringify(outcome)}`);
      return outcome;
    },
  };
  return made;
}

export function httpInput(input: object = {}): object {
  return { method: 'GET', path: '/a', headers: { host: 'localhost' }, ...input };
}

/** Serves one Step, named A, with an http trigger to which `trigger` is added, and what `others` declare. */
export async function serve(handler: Handler, trigger: object = {}, config: object = {}, others: readonly PrebuiltStep[] = []): Promise<Bench> {
  const made = bench();
  const triggers = [{ type: 'http', method: 'GET', path: '/a', ...trigger }];
  await made.runner.adopt([{ file: 'a.step.ts', exports: { config: { name: 'A', triggers, ...config }, handler } }, ...others]);
  return made;
}

/** Value of a JSON answer, as its text says. */
export function json(result: RunHttpResult): unknown {
  if (result.body?.kind !== 'json') throw new Error(`no JSON: ${JSON.stringify(result)}`);
  return JSON.parse(result.body.text);
}

/** A fresh application folder that finds this repository's packages. */
export class AppFolder {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-app-')));

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.write('package.json', '{ "name": "app-of-a-test" }');
    symlinkSync(MODULES, join(this.root, 'node_modules'));
    for (const [file, text] of Object.entries(files)) this.write(file, text);
  }

  write(file: string, text: string): void {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Makes `file` a link to `target`, an absolute path. */
  link(file: string, target: string): void {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  }

  remove(file = '.'): void {
    rmSync(join(this.root, file), { recursive: true, force: true });
  }
}
