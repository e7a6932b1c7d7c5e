import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { EngineProcess } from '../../support/engine-process.js';
import type { ServerSpec } from './contestant.js';
import { descendantsOf } from './process-usage.js';
import { ORDER_STEP, benchConfig, getStep, writeApplication } from './treadle-application.js';

export interface RunningServer {
  readonly port: number;
  /** Processes alive now: the server first, then its workers. */
  pids(): readonly number[];
  stop(): Promise<void>;
}

/** Starts a contestant's server and waits until it answers. */
export function startServer(spec: ServerSpec): Promise<RunningServer> {
  return spec.kind === 'peer' ? startPeer(spec.script, spec.args ?? []) : startTreadle(spec);
}

async function startPeer(script: string, args: readonly string[]): Promise<RunningServer> {
  const program = fileURLToPath(new URL(`../servers/${script}`, import.meta.url));
  const environment = { PATH: process.env['PATH'], NODE_ENV: 'production' };
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: environment });
  const { port, pids } = await firstLine(child, script);
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    if (child.kill()) await ended;
  };
  return { port, pids: () => pids, stop };
}

function firstLine(child: ChildProcess, script: string): Promise<{ port: number; pids: number[] }> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) throw new Error(`${script} has no output`);
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as { port: number; pids: number[] }));
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
}

async function startTreadle({ steps, runtime, telemetry = true }: Extract<ServerSpec, { kind: 'treadle' }>): Promise<RunningServer> {
  const files: Record<string, string> = { 'config.yaml': benchConfig(runtime, { telemetry }), 'steps/take-order.step.ts': ORDER_STEP };
  files['steps/hello.step.ts'] = getStep('Hello', '/hello');
  for (let n = 1; n < steps; n++) files[`steps/route-${n}.step.ts`] = getStep(`Route${n}`, `/route-${n}/:id`);
  const cwd = writeApplication(files);
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
  const url = await engine.ready();
  const stop = async (): Promise<void> => {
    await engine.stop();
    rmSync(cwd, { recursive: true, force: true });
  };
  return { port: Number(new URL(url).port), pids: () => [engine.pid, ...descendantsOf(engine.pid)], stop };
}
