import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, type Lifecycle, Module, type ModuleContext, type Plugin, StatePort } from '@treadle/api';
import { expect } from 'chai';
import { BUILTIN_PLUGINS } from '../builtin-plugins.js';
import { createTestComposition, type TestComposition } from './create-test-composition.js';

/** Takes part in every turn of its engine in which there is work, and notes the phases that it sees. */
function probe(name: string, seen: string[]): Plugin {
  class Probe implements Lifecycle {
    private timer: NodeJS.Timeout | undefined;

    async start({ turn }: ModuleContext): Promise<void> {
      const asks = (['enqueue', 'frames', 'commit'] as const).map((phase) => turn.at(phase, () => seen.push(`${name} ${phase}`)));
      this.timer = setInterval(() => asks.forEach((ask) => ask()), 1);
      return Promise.resolve();
    }

    async stop(): Promise<void> {
      clearInterval(this.timer);
      return Promise.resolve();
    }
  }
  Module({ id: 'testing::turn::Probe', summary: 'Sees turns', stability: 'development', since: '0.1.0', config: { type: 'object', additionalProperties: false } })(Probe);
  return definePlugin({ name: 'probe', version: '0.1.0', api: '^0.1.0', modules: [Probe] });
}

const STEPS = (name: string): Readonly<Record<string, string>> => ({
  take: `
    export const config = { name: 'take-${name}', enqueues: ['${name}'], triggers: [{ type: 'http', method: 'POST', path: '/${name}' }] };
    export const handler = async ({ body }: any, ctx: any) => {
      ctx.logger.info('taken');
      await ctx.enqueue({ topic: '${name}', data: body });
      return { status: 202 };
    };`,
  keep: `
    export const config = { name: 'keep-${name}', triggers: [{ type: 'queue', topic: '${name}' }] };
    export const handler = async (input: any, ctx: any) => { await ctx.state.set('kept', String(input.n), input.n); };`,
});

/** An application of its own under load. */
class Application {
  private readonly root = mkdtempSync(join(tmpdir(), 'treadle-two-'));
  private test: TestComposition | undefined;

  constructor(readonly name: string, readonly requests: number) {}

  get engine(): TestComposition {
    if (!this.test) throw new Error(`${this.name} does not run`);
    return this.test;
  }

  async start(runtime: string, seen: string[]): Promise<void> {
    mkdirSync(join(this.root, 'steps'));
    writeFileSync(join(this.root, 'package.json'), JSON.stringify({ name: this.name, type: 'module' }));
    for (const [file, text] of Object.entries(STEPS(this.name))) writeFileSync(join(this.root, 'steps', `${file}.step.ts`), text);
    this.test = await createTestComposition({ root: this.root, builtins: [...BUILTIN_PLUGINS, probe(this.name, seen)], yaml: `
modules:
  - class: testing::turn::Probe
  - class: modules::steps::StepsModule
    config: { runtimes: [{ class: modules::runtime::adapters::${runtime} }] }
` });
    await until(async () => (await fetch(`${this.engine.url('http')}/health`)).status === 200);
  }

  async load(): Promise<void> {
    let next = 0;
    await Promise.all(Array.from({ length: 8 }, async () => {
      while (next < this.requests) {
        const body = JSON.stringify({ n: next++ });
        await until(async () => this.taken(body));
      }
    }));
    const state = this.engine.engine.port(StatePort) as StatePort;
    await until(async () => (await state.list('kept', { limit: 1_000 })).items.length === this.requests);
  }

  /** False when the engine refuses the request for now, as it does on a machine that is too busy. */
  private async taken(body: string): Promise<boolean> {
    const response = await fetch(`${this.engine.url('http')}/${this.name}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await response.text();
    if (response.status === 503 && text.includes('"overloaded"')) return false;
    expect(response.status, text).to.equal(202);
    return true;
  }

  async metrics(): Promise<string> {
    const token = readFileSync(join(this.engine.dataDir, 'admin.token'), 'utf8').trim();
    return (await fetch(`${this.engine.url('console')}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  }

  async end(): Promise<void> {
    await this.test?.stop();
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!await holds()) await new Promise((resolve) => { setTimeout(resolve, 10); });
}

/** Accepted requests that a metric counts, by route. */
function requestsByRoute(text: string): Readonly<Record<string, number>> {
  const rows = [...text.matchAll(/^http_server_request_duration_seconds_count\{(.*)\} (\d+)$/gm)];
  return Object.fromEntries(rows.flatMap(([, labels = '', count]) => {
    const route = /http_route="([^"]*)"/.exec(labels)?.[1];
    return route === undefined || !labels.includes('status_code="202"') ? [] : [[route, Number(count)]];
  }));
}

describe('two engines in one process, both under load', function () {
  this.timeout(120_000);
  for (const runtime of ['Node', 'InProcess']) {
    it(`flush, log and measure each its own (${runtime})`, async () => {
      const [one, two] = [new Application('one', 120), new Application('two', 200)];
      const seen: string[] = [];
      try {
        for (const application of [one, two]) await application.start(runtime, seen);
        await Promise.all([one.load(), two.load()]);
        for (const [own, other] of [[one, two], [two, one]] as const) {
          const { logs } = own.engine;
          expect(logs.filter(({ message }) => message === 'taken').map(({ stepName }) => stepName))
            .to.deep.equal(Array.from({ length: own.requests }, () => `take-${own.name}`));
          expect(logs.filter(({ service, stepName }) => service === other.name || stepName.endsWith(other.name))).to.deep.equal([]);
          const metrics = await own.metrics();
          expect(requestsByRoute(metrics)).to.deep.equal({ [`/${own.name}`]: own.requests });
          expect(metrics).to.not.match(new RegExp(`"(take-|keep-)?${other.name}"`));
        }
        expect(mixed(seen)).to.deep.equal([]);
        for (const { name } of [one, two]) expect(seen.filter((event) => event === `${name} commit`)).to.not.be.empty;
      } finally {
        for (const application of [one, two]) await application.end();
      }
    });
  }
});

/** Turns in which something of another engine ran between two phases. */
function mixed(seen: readonly string[]): readonly string[] {
  return seen.flatMap((event, index) => {
    const [name, phase] = event.split(' ');
    if (phase !== 'enqueue') return [];
    const turn = seen.slice(index, index + 3);
    return turn.length < 3 || turn.join() === `${name} enqueue,${name} frames,${name} commit` ? [] : [turn.join()];
  });
}
