import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { missingServer as missingNats, startNats } from '../../plugins/nats/src/testing/server.fixture.js';
import { missingPrograms, startPostgres } from '../../plugins/postgres/src/testing/server.fixture.js';
import { missingServer as missingRabbit, queuesSettled, startRabbit } from '../../plugins/rabbitmq/src/testing/server.fixture.js';
import { DURABLE, missingServer, startRedis } from '../../plugins/redis/src/testing/server.fixture.js';
import { ROOT } from '../architecture/workspace.js';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const NEW = { title: 'The printer is on fire', customer: { id: 'c1', email: 'ada@example.com' } };
const COMMON = `
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: 0 } }
  - { class: modules::console::ConsoleModule, config: { port: 0 } }
`;

/** A database that several engines share by a preset. */
interface SharedStore {
  readonly name: string;
  readonly preset: string;
  /** Why there is none here. */
  missing(): string | undefined;
  /** Its servers, each by the variable that its address is in; the first is the one that goes away. */
  start(): Promise<Readonly<Record<string, ServerProcess>>>;
  /** Resolves when that one can be killed. */
  settled?(): Promise<void>;
}

const STORES: readonly SharedStore[] = [
  { name: 'PostgreSQL database', preset: 'plugins/postgres/presets/postgres.yaml', missing: missingPrograms, start: async () => ({ DATABASE_URL: await startPostgres() }) },
  { name: 'Redis', preset: 'plugins/redis/presets/redis.yaml', missing: missingServer, start: async () => ({ REDIS_URL: await startRedis(DURABLE) }) },
  { name: 'NATS server', preset: 'plugins/nats/presets/nats.yaml', missing: missingNats, start: async () => ({ NATS_URL: await startNats() }) },
  {
    name: 'RabbitMQ beside PostgreSQL', preset: 'plugins/rabbitmq/presets/rabbitmq-postgres.yaml', missing: () => missingRabbit() ?? missingPrograms(),
    start: async () => ({ RABBITMQ_URL: await startRabbit(), DATABASE_URL: await startPostgres() }), settled: queuesSettled,
  },
];

/** An engine of the tickets application, and its address. */
interface Ticketing {
  readonly engine: EngineProcess;
  readonly url: string;
}

for (const store of STORES) describe(`two engines of the tickets application on one ${store.name}`, function () {
  this.timeout(180_000);
  let servers: Readonly<Record<string, ServerProcess>> = {};
  const first = (): ServerProcess | undefined => Object.values(servers)[0];
  let one: Ticketing;
  let other: Ticketing;

  async function start(): Promise<Ticketing> {
    const cwd = copyOfSample('tickets');
    const preset = readFileSync(join(ROOT, store.preset), 'utf8');
    writeFileSync(join(cwd, 'config.yaml'), `${preset.replace("adapter: { class: 'modules::stream", "port: 0, adapter: { class: 'modules::stream")}${COMMON}`);
    const env = Object.fromEntries(Object.entries(servers).map(([variable, { url }]) => [variable, url]));
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env });
    return { engine, url: await engine.ready() };
  }

  before(async function () {
    const missing = store.missing();
    requireOrSkip(this, missing === undefined, missing ?? '');
    servers = await store.start();
    [one, other] = await Promise.all([start(), start()]);
  });
  after(async () => {
    await stopAllEngines();
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  });

  const show = async ({ url }: Ticketing, id: string): Promise<Record<string, unknown>> => (await request('GET', `${url}/tickets/${id}`)).json as Record<string, unknown>;
  const create = async ({ url, engine }: Ticketing): Promise<string> => {
    const { status, text, json } = await request('POST', `${url}/tickets`, NEW);
    expect(status, `${text}\n${engine.output.slice(-4_000)}`).to.equal(201);
    return (json as { readonly id: string }).id;
  };

  it('show at one what was written at the other', async () => {
    for (const [writer, reader] of [[one, other], [other, one]] as const) {
      expect(await show(reader, await create(writer))).to.include({ title: NEW.title });
    }
  });

  it('run what one has enqueued once, whichever does it', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => create(index % 2 === 0 ? one : other)));
    const admin = new AdminClient(one.engine);
    await waitUntil('all messages to be done', async () => (
      (await admin.subscriptions()).every(({ waiting, retrying, active }) => waiting + retrying + active === 0)));
    for (const id of ids) expect(await show(one, id)).to.deep.equal(await show(other, id));
    expect((await admin.subscriptions()).map(({ dead }) => dead).filter((dead) => dead > 0)).to.deep.equal([]);
  });

  it('go on with what was written when one is killed', async () => {
    const id = await create(one);
    one.engine.child.kill('SIGKILL');
    await one.engine.exit;
    expect(await show(other, id)).to.include({ id });
    expect(await show(other, await create(other))).to.include({ title: NEW.title });
  });

  it('report that the server is away, and go on when it is back', async () => {
    await store.settled?.();
    await first()?.crash();
    await waitUntil('the failure of a request', async () => (await request('POST', `${other.url}/tickets`, NEW)).status >= 500);
    await first()?.resume();
    await waitUntil('a ticket', async () => (await request('POST', `${other.url}/tickets`, NEW)).status === 201);
  });
});
