import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminCatalog, type AdminRoute, Inject, type Lifecycle, Module, bind, definePlugin, token } from '@treadle/api';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { moduleSuite } from '@treadle/testing';
import { expect } from 'chai';
import cron, { CronModule } from './index.js';

const builtins = [...BUILTIN_PLUGINS.filter(({ name }) => name !== cron.name), cron];
const sqlite = builtins.filter(({ name }) => name === '@treadle/plugin-sqlite');
const yaml = (config: string): string => `engine: { implicit_modules: false }\nmodules: [{ class: modules::cron::CronModule, config: ${config} }]\n`;

moduleSuite({
  module: CronModule, plugins: [cron, ...sqlite],
  env: () => ({ yaml: yaml('{ adapter: { class: modules::cron::adapters::Sqlite, config: { store_method: in_memory } } }') }),
});

const Catalog = token<AdminCatalog>('acme.Catalog');

/** Gives the admin routes to the test. */
@Module({ id: 'acme::admin::Peek', summary: 'Shows the admin routes.', stability: 'development', since: '0.1.0', config: { type: 'object' }, provides: [Catalog] })
class Peek implements Lifecycle {
  constructor(@Inject(AdminCatalog) private readonly catalog: AdminCatalog) {}
  ports() {
    return [bind(Catalog, this.catalog)];
  }
}
const peek = definePlugin({ name: 'acme', version: '0.1.0', api: '^0.1.0', modules: [Peek] });

/** Notes each start in a file, one line each; `die` ends the worker the first time. */
const step = (folder: string, body: string): string => `
import { appendFileSync, existsSync } from 'node:fs';
export const config = { name: 'tick', triggers: [{ type: 'cron', expression: '*/1 * * * * *', timezone: 'Europe/Berlin', missed: 'all' }] };
export const handler = async (input: any, ctx: any) => {
  appendFileSync(${JSON.stringify(join(folder, 'starts'))}, JSON.stringify({ ...input, attempt: ctx.attempt, traceId: ctx.traceId, cron: ctx.is.cron(input) }) + '\\n');
  ${body}
};
`;

describe('cron in a running engine', function () {
  this.timeout(180_000);
  let root: string;
  let test: TestComposition | undefined;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-cron-e2e-'));
    mkdirSync(join(root, 'steps'));
  });
  afterEach(async () => {
    await test?.stop();
    test = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  const start = async (body: string): Promise<void> => {
    writeFileSync(join(root, 'steps', 'tick.step.ts'), step(root, body));
    test = await createTestComposition({
      root, builtins: [...builtins, peek],
      yaml: `
engine: { implicit_modules: false }
modules:
  - class: acme::admin::Peek
  - class: modules::cron::CronModule
    config: { adapter: { class: modules::cron::KvCronAdapter, config: { file_path: cron.db } } }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node }] }
`,
    });
  };
  const starts = async (least: number): Promise<{ scheduledAt: string; attempt: number; traceId: string; cron: boolean; timezone: string }[]> => {
    const { existsSync, readFileSync } = await import('node:fs');
    for (let tries = 0; tries < 600; tries += 1) {
      const text = existsSync(join(root, 'starts')) ? readFileSync(join(root, 'starts'), 'utf8') : '';
      const lines = text.split('\n').slice(0, -1);
      if (lines.length >= least) return lines.map((line) => JSON.parse(line) as Awaited<ReturnType<typeof starts>>[number]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`there were not ${least} starts; log: ${JSON.stringify(test?.logs.slice(-10))}`);
  };
  const ask = (method: string, path: string, over: object): Promise<unknown> => {
    const routes: readonly AdminRoute[] = test?.engine.port(Catalog)?.routes() ?? [];
    const route = routes.find((one) => one.method === method && one.path === path && one.classId === 'modules::cron::CronModule');
    return route?.handle({ params: {}, query: {}, body: undefined, ...over }) ?? Promise.reject(new Error('no such route'));
  };

  it('runs a Step each second, every tick once, and shows it', async () => {
    await start('');
    const found = await starts(3);
    const ticks = found.map(({ scheduledAt }) => Date.parse(scheduledAt));
    expect(new Set(ticks).size).to.equal(ticks.length);
    expect(ticks.map((tick, index) => tick - (ticks[index - 1] ?? tick - 1_000)).every((gap) => gap === 1_000)).to.equal(true);
    expect(found[0]).to.include({ attempt: 1, cron: true, timezone: 'Europe/Berlin' });
    const { items: triggers } = await ask('GET', '/', {}) as { items: { trigger: string }[] };
    expect(triggers.map(({ trigger }) => trigger)).to.deep.equal(['*/1 * * * * * Europe/Berlin']);
    const { items: runs } = await ask('GET', '/runs', { query: { step: 'tick' } }) as { items: { status: string; traceId: string }[] };
    expect(runs.map(({ traceId }) => traceId)).to.include(found[0]?.traceId);
  });

  it('begins a tick again whose worker died, with the same trace', async () => {
    const died = JSON.stringify(join(root, 'died'));
    await start(`if (!existsSync(${died})) { appendFileSync(${died}, ""); process.kill(process.pid, "SIGKILL"); }`);
    // Where its process needs longer than a second to come back, other ticks begin before it begins again.
    let found: Awaited<ReturnType<typeof starts>> = [];
    const again = () => found.find(({ scheduledAt }, index) => index > 0 && scheduledAt === found[0]?.scheduledAt);
    for (let least = 2; !again(); least = found.length + 1) found = await starts(least);
    expect(again()).to.include({ traceId: found[0]?.traceId, attempt: 2 });
  });

  it('waits for a handler when the engine stops, and repeats nothing afterwards', async () => {
    const slow = 'await new Promise((resolve) => setTimeout(resolve, 700));';
    await start(slow);
    const before = await starts(1);
    const report = await test?.engine.stop();
    expect(report?.drained).to.equal(true);
    const ended = await starts(before.length);
    expect(ended.every(({ attempt }) => attempt === 1)).to.equal(true);
  });

  it('says what is wrong with an expression and serves the Step no further', async () => {
    writeFileSync(join(root, 'steps', 'bad.step.ts'), "export const config = { name: 'bad', triggers: [{ type: 'cron', expression: '61 * * * *' }] };\nexport const handler = async () => {};\n");
    await start('');
    await starts(1);
    expect(JSON.stringify(test?.logs)).to.contain('STEP_BAD_CRON').and.contain('is not a valid minute');
  });
});
