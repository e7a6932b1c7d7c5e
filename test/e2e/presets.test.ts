import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { missingServer as missingNats, startNats } from '../../plugins/nats/src/testing/server.fixture.js';
import { missingPrograms as missingPostgres, startPostgres } from '../../plugins/postgres/src/testing/server.fixture.js';
import { missingServer as missingRabbit, startRabbit } from '../../plugins/rabbitmq/src/testing/server.fixture.js';
import { DURABLE, missingServer as missingRedis, startRedis } from '../../plugins/redis/src/testing/server.fixture.js';
import { ROOT } from '../architecture/workspace.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

/** A Step for each block: one request has to go through all of them. */
const STEPS = {
  'steps/note.step.js': `export const config = { name: 'Note', triggers: [{ type: 'http', method: 'POST', path: '/notes' }], enqueues: ['noted'] };
export const handler = async ({ body }, { enqueue }) => {
  await enqueue({ topic: 'noted', data: body });
  return { status: 202, body: {} };
};
`,
  'steps/keep.step.js': `export const config = { name: 'Keep', triggers: [{ type: 'queue', topic: 'noted' }] };
export const handler = async ({ id, text }, { state }) => void await state.set('notes', id, { text });
`,
  'steps/show.step.js': `export const config = { name: 'Show', triggers: [{ type: 'state', group: 'notes' }] };
export const handler = async ({ key, newValue }, { streams }) => void await streams.notes.set('all', key, newValue);
`,
  'steps/tick.step.js': `export const config = { name: 'Tick', triggers: [{ type: 'cron', expression: '* * * * * *' }] };
export const handler = async ({ scheduledAt }, { state }) => void await state.set('ticks', 'last', scheduledAt);
`,
  'steps/read.step.js': `export const config = { name: 'Read', triggers: [{ type: 'http', method: 'GET', path: '/notes/:id' }] };
export const handler = async ({ pathParams: { id } }, { state, streams }) => ({
  status: 200, body: { kept: await state.get('notes', id), shown: await streams.notes.get('all', id), ticked: await state.get('ticks', 'last') !== null },
});
`,
  'steps/notes.stream.js': "export const config = { name: 'notes', schema: { type: 'object' } };\n",
};
const NOTE = { id: 'n1', text: 'é' };

/** Servers by the variable that a preset takes their address from. */
const SERVERS: Readonly<Record<string, { missing(): string | undefined; start(): Promise<ServerProcess> } | undefined>> = {
  DATABASE_URL: { missing: missingPostgres, start: () => startPostgres() },
  REDIS_URL: { missing: missingRedis, start: () => startRedis(DURABLE) },
  NATS_URL: { missing: missingNats, start: () => startNats() },
  RABBITMQ_URL: { missing: missingRabbit, start: startRabbit },
};

/** What an engine is started with: the file of a preset, or one that names a preset of the distribution, or none. */
interface Composition {
  readonly name: string;
  readonly yaml?: string;
}

const COMPOSITIONS: readonly Composition[] = [{ name: 'no file' }, ...ownPresets(), ...pluginPresets()];

for (const { name, yaml } of COMPOSITIONS) describe(`an engine with ${name}`, function () {
  this.timeout(120_000);
  const servers: ServerProcess[] = [];
  after(async () => {
    await stopAllEngines();
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('takes a request through queue, state, state trigger and stream, and runs cron', async function () {
    const env: Record<string, string> = { PORT: '0', WORKER_PORT: '0' };
    for (const variable of variablesOf(yaml ?? '')) {
      const server = SERVERS[variable];
      if (!server) throw new Error(`${name} takes an address from ${variable}: say in SERVERS how such a server is started`);
      requireOrSkip(this, server.missing() === undefined, server.missing() ?? '');
      const started = await server.start();
      servers.push(started);
      env[variable] = started.url;
    }
    const cwd = tempApplication({ ...STEPS, ...yaml !== undefined && { 'config.yaml': yaml } });
    const engine = new EngineProcess({ cwd, args: yaml === undefined ? [] : ['--config', 'config.yaml'], env });
    const url = await engine.address('http');
    // An engine that starts on a busy machine refuses what it cannot do yet.
    await waitUntil('an accepted note', async () => (await request('POST', `${url}/notes`, NOTE)).status === 202);
    const seen = await waitUntil('the note and a tick', async () => {
      const { status, json } = await request('GET', `${url}/notes/${NOTE.id}`);
      const { kept, shown, ticked } = (json ?? {}) as { readonly kept?: unknown; readonly shown?: unknown; readonly ticked?: boolean };
      return status === 200 && Boolean(kept) && Boolean(shown) && ticked === true && { kept, shown };
    });
    expect(seen).to.deep.equal({ kept: { text: NOTE.text }, shown: { text: NOTE.text } });
    expect(await engine.stop(), engine.output).to.deep.equal({ code: 0, signal: null });
  });
});

/** Those that YAML names by `preset`; `default` is what an engine has without a file. */
function ownPresets(): readonly Composition[] {
  const names = readdirSync(join(ROOT, 'config/presets')).map((file) => basename(file, '.yaml')).filter((name) => name !== 'default');
  return names.map((name) => ({ name: `preset: ${name}`, yaml: `engine: { preset: ${name} }\n` }));
}

function pluginPresets(): readonly Composition[] {
  const folders = readdirSync(join(ROOT, 'plugins')).map((plugin) => `plugins/${plugin}/presets`).filter((folder) => existsSync(join(ROOT, folder)));
  const files = folders.flatMap((folder) => readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`));
  return files.map((file) => ({ name: file, yaml: readFileSync(join(ROOT, file), 'utf8') }));
}

/** Of the addresses that a file takes from the environment. */
function variablesOf(yaml: string): readonly string[] {
  return [...new Set([...yaml.matchAll(/\$\{(\w+_URL)\b/g)].map(([, variable = '']) => variable))];
}
