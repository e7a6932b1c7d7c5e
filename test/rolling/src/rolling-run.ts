import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@treadle/testing';
import { AdminClient } from '../../support/admin-client.js';
import { EngineProcess, type Exit } from '../../support/engine-process.js';
import { waitUntil } from '../../support/wait-until.js';
import { rollingApplication, type Timing } from './application.js';
import type { Balancer } from './balancer.js';
import { Clients } from './clients.js';

export interface RollingRun extends Timing {
  readonly restarts: number;
  readonly connections: number;
  /** Pause of a client between two requests, in milliseconds. */
  readonly pauseMs: number;
  readonly balancer: (ports: readonly number[]) => Promise<Balancer>;
  /** Instead of SIGTERM: to show that the run notices. */
  readonly signal?: NodeJS.Signals;
}

export interface RollingResult {
  readonly restarts: number;
  readonly requests: number;
  readonly messages: number;
  /** Messages that a stopping engine gave back and that began again. */
  readonly handedBack: number;
  /** From the signal to the end, in milliseconds. */
  readonly longestExitMs: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

const ENGINES = 2;
const DRAINED_MS = 60_000;

/** Restarts two engines behind a balancer in turn, under requests and messages. */
export async function runRolling(run: RollingRun): Promise<RollingResult> {
  const began = performance.now();
  const ports: number[] = [];
  for (let index = 0; index < ENGINES; index++) ports.push(await freePort());
  const engines = ports.map((port) => new RestartedEngine(port, run));
  let [balancer, clients]: [Balancer | undefined, Clients | undefined] = [undefined, undefined];
  try {
    await Promise.all(engines.map((engine) => engine.start()));
    balancer = await run.balancer(ports);
    await balancer.allUp();
    clients = new Clients(balancer.url, run.connections, run.pauseMs);
    for (let restart = 0; restart < run.restarts; restart++) {
      await clients.busy();
      await engines[restart % ENGINES]?.restart(run.signal ?? 'SIGTERM');
      await balancer.allUp();
    }
    await clients.stop();
    const dead = (await Promise.all(engines.map((engine) => engine.drained()))).flat();
    const handled = handledBy(engines);
    const faults = [...Object.entries(clients.failures).map(([what, count]) => `${count} x ${what}`), ...dead, ...engines.flatMap((engine) => engine.faults), ...handled.faults(clients.ordered)];
    return {
      restarts: run.restarts, requests: clients.requests, messages: clients.ordered.length, handedBack: handled.repeated,
      longestExitMs: Math.max(...engines.map((engine) => engine.longestExitMs)), faults, seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await clients?.stop();
    await Promise.all([balancer?.stop(), ...engines.map((engine) => engine.stop())]);
  }
}

class RestartedEngine {
  readonly cwd: string;
  readonly faults: string[] = [];
  longestExitMs = 0;
  private engine: EngineProcess | undefined;

  constructor(port: number, timing: Timing) {
    this.cwd = rollingApplication(port, timing);
  }

  async start(): Promise<void> {
    this.engine = new EngineProcess({ cwd: this.cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json' } });
    await this.engine.ready();
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    const began = performance.now();
    const exit = await this.engine?.stop(signal);
    this.longestExitMs = Math.max(this.longestExitMs, Math.round(performance.now() - began));
    if (exit?.code !== 0) this.faults.push(`an engine ended with ${told(exit)}`);
    await this.start();
  }

  /** Waits until nothing waits any more, and tells what is dead. */
  async drained(): Promise<readonly string[]> {
    const admin = new AdminClient(this.engine as EngineProcess);
    await waitUntil('the messages to be handled', async () => (await admin.gathered()).every((line) => line.endsWith(': 0')), DRAINED_MS);
    return (await admin.subscriptions()).filter(({ dead }) => dead > 0).map(({ step, dead }) => `${step}: ${dead} dead letters`);
  }

  async stop(): Promise<void> {
    await this.engine?.stop('SIGKILL');
  }
}

const told = (exit: Exit | undefined): string => `${exit?.code ?? exit?.signal}`;

function handledBy(engines: readonly RestartedEngine[]): { readonly repeated: number; faults(ordered: readonly number[]): readonly string[] } {
  const files = engines.map(({ cwd }) => join(cwd, 'handled.txt')).filter((file) => existsSync(file));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trim().split('\n')).map((line) => line.split(' '));
  const begun = lines.filter(([what]) => what === 'began').map(([, n]) => Number(n));
  const ended = lines.filter(([what]) => what === 'ended').map(([, n]) => Number(n));
  const penalised = new Set(lines.filter(([, , attempt]) => attempt !== '1').map(([, n]) => n)).size;
  return {
    repeated: begun.length - new Set(begun).size,
    faults: (ordered) => {
      const done = new Set(ended);
      const lost = ordered.filter((n) => !done.has(n)).length;
      const twice = ended.length - done.size;
      return [...lost > 0 ? [`${lost} messages lost`] : [], ...penalised > 0 ? [`${penalised} messages penalised`] : [], ...twice > 0 ? [`${twice} messages handled twice`] : []];
    },
  };
}
