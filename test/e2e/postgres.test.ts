import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { Postgres } from '../support/postgres.js';
import { requireOrSkip } from '../support/requirement.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const NEW = { title: 'The printer is on fire', customer: { id: 'c1', email: 'ada@example.com' } };
const PRESET = readFileSync(join(ROOT, 'plugins/postgres/presets/postgres.yaml'), 'utf8');
const PORTS = PRESET.replace("config: { adapter: { class: 'modules::stream", "config: { port: 0, adapter: { class: 'modules::stream");
const YAML = `${PORTS}
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: 0 } }
  - { class: modules::console::ConsoleModule, config: { port: 0 } }
`;

/** An engine of the tickets application, and its address. */
interface Ticketing {
  readonly engine: EngineProcess;
  readonly url: string;
}

describe('two engines of the tickets application on one PostgreSQL database', function () {
  this.timeout(180_000);
  let server: Postgres | undefined;
  let one: Ticketing;
  let other: Ticketing;

  async function start(): Promise<Ticketing> {
    const cwd = copyOfSample('tickets');
    writeFileSync(join(cwd, 'config.yaml'), YAML);
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { DATABASE_URL: server?.url ?? '' } });
    return { engine, url: await engine.ready() };
  }

  before(async function () {
    requireOrSkip(this, Postgres.isInstalled, 'PostgreSQL');
    server = await Postgres.start();
    [one, other] = await Promise.all([start(), start()]);
  });
  after(async () => {
    await stopAllEngines();
    await server?.stop();
  });

  const show = async ({ url }: Ticketing, id: string): Promise<Record<string, unknown>> => (await request('GET', `${url}/tickets/${id}`)).json as Record<string, unknown>;
  const create = async ({ url }: Ticketing): Promise<string> => ((await request('POST', `${url}/tickets`, NEW)).json as { readonly id: string }).id;

  it('show at one what was written at the other', async () => {
    for (const [writer, reader] of [[one, other], [other, one]] as const) {
      expect(await show(reader, await create(writer))).to.include({ title: NEW.title });
    }
  });

  it('run what one has enqueued once, whichever does it', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => create(index % 2 === 0 ? one : other)));
    await waitUntil('all messages to be done', async () => {
      const [row] = await server?.query<{ readonly left: string }>('SELECT count(*) AS left FROM treadle.queue_deliveries WHERE state <> 1') ?? [];
      return row?.left === '0';
    });
    for (const id of ids) expect(await show(one, id)).to.deep.equal(await show(other, id));
    const letters = await server?.query('SELECT 1 FROM treadle.queue_dead');
    expect(letters).to.deep.equal([]);
  });

  it('go on with what was written when one is killed', async () => {
    const id = await create(one);
    one.engine.child.kill('SIGKILL');
    await one.engine.exit;
    expect(await show(other, id)).to.include({ id });
    expect(await show(other, await create(other))).to.include({ title: NEW.title });
  });

  it('report that the database is away, and go on when it is back', async () => {
    await server?.halt();
    await waitUntil('the failure of a request', async () => (await request('POST', `${other.url}/tickets`, NEW)).status >= 500);
    await server?.resume();
    await waitUntil('a ticket', async () => (await request('POST', `${other.url}/tickets`, NEW)).status === 201);
  });
});
