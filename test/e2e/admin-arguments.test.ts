import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Scrapers may add what they like; a message says itself what it may hold. */
const FREE: ReadonlySet<string> = new Set(['GET /metrics', 'POST /messages']);
const YAML = `
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
`;

describe('arguments of the admin API', function () {
  this.timeout(120_000);
  let test: TestComposition;
  let url: string;
  let headers: Record<string, string>;
  before(async () => {
    test = await createTestComposition({ yaml: YAML });
    url = `${test.url('console')}/api/v1`;
    const token = readFileSync(join(test.dataDir, 'admin.token'), 'utf8').trim();
    headers = { authorization: `Bearer ${token}`, 'x-console': '1', 'content-type': 'application/json' };
  });
  after(() => test.stop());

  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await fetch(`${url}${path}`, { method, headers, signal: AbortSignal.timeout(60_000), ...body && { body: JSON.stringify(body) } });
    const { status } = answer;
    if (answer.ok) {
      await answer.body?.cancel();
      return String(status);
    }
    const { code, detail } = await answer.json() as { code: string; detail: string };
    return `${status} ${code}: ${detail}`;
  };

  it('are refused by every route that has none of the name', async () => {
    const { items: modules } = await (await fetch(`${url}/modules`, { headers })).json() as { items: readonly { instance?: string; id?: string; routes: readonly Route[] }[] };
    const routes = modules.flatMap((module) => module.routes.map((route) => ({ ...route, of: module.id ?? module.instance ?? '' })));
    expect(routes.length).to.be.greaterThan(30);
    for (const { of, method, path } of routes) {
      if (FREE.has(`${method} ${path}`)) continue;
      const at = `/modules/${encodeURIComponent(of)}${path.replaceAll(/:\w+/g, 'a')}`;
      const bodied = method === 'POST' || method === 'PUT';
      const verb = method === 'EVENTS' ? 'GET' : method;
      expect(await ask(verb, bodied ? at : `${at}?zzzzzz=1`, bodied ? { zzzzzz: 1 } : undefined), `${method} ${of}${path}`)
        .to.match(/^400 invalid_argument: there is no argument "zzzzzz"; (there (are|is)|this call takes) /);
      if (bodied) {
        expect(await ask(verb, `${at}?zzzzzz=1`, {}), `${method} ${of}${path}`)
          .to.match(/^400 invalid_argument: .*"zzzzzz"/);
      }
    }
    for (const path of ['/engine', '/modules', '/steps']) {
      expect(await ask('GET', `${path}?zzzzzz=1`)).to.equal('400 invalid_argument: there is no argument "zzzzzz"; this call takes none');
    }
    expect(await ask('POST', '/backup', { zzzzzz: 1 })).to.equal('400 invalid_argument: there is no argument "zzzzzz"; there is file');
  });

  for (const [method, path, body, meant] of [
    ['GET', '/state/groups?limt=3', undefined, 'limit'], ['GET', '/cron/runs?step=a&limi=3', undefined, 'limit'],
    ['POST', '/cron/run', { step: 'a', triger: 'b' }, 'trigger'], ['PUT', '/state/groups/g/keys/k', { value: 1, ttlms: 5 }, 'ttlMs'],
    ['GET', '/traces?stp=a', undefined, 'step'], ['POST', '/queues/dead-letters/redrive', { al: true }, 'all'],
    ['POST', '/queues/messages', { mesages: [], messages: [] }, 'messages'],
  ] as const) {
    it(`name ${meant} where ${method} ${path} almost says it`, async () => {
      expect(await ask(method, path, body)).to.match(new RegExp(`^400 invalid_argument: there is no argument "\\w+"; did you mean "${meant}"\\?$`));
    });
  }

  it('and their routes are all in the index, each with a summary, in the OpenAPI document, and in the guide for operators', async () => {
    const { openapi, items } = await (await fetch(url, { headers })).json() as { openapi: string; items: readonly { method: string; path: string; summary?: string }[] };
    expect(openapi).to.equal('/api/v1/openapi.json');
    expect(items.length).to.be.greaterThan(30);
    expect(items.filter(({ summary }) => !summary)).to.deep.equal([]);
    const { paths } = await (await fetch(`${url}/openapi.json`, { headers })).json() as { paths: Readonly<Record<string, object>> };
    const guide = readFileSync(new URL('../../docs/admin-api.md', import.meta.url), 'utf8');
    for (const { method, path } of items) {
      expect(paths[path.replaceAll(/(?<=\/):(\w+)(?=\/|$)/g, '{$1}')], path).to.have.property(method.toLowerCase());
      const said = path.slice('/api/v1'.length).replace(/^\/modules\/modules::\w+::adapters::\w+/, '/modules/<adapter>');
      // Several routes of one line share what they begin with.
      const mentioned = guide.includes(said) || guide.includes(`\`/${said.split('/').at(-1)}\``);
      expect(mentioned, `docs/admin-api.md does not mention ${method} ${said}`).to.equal(true);
    }
    const rows = guide.slice(guide.indexOf('## Routes'), guide.indexOf('## Live')).split('\n').filter((line) => line.startsWith('| `'));
    const served = new Set(items.map(({ path }) => path.slice('/api/v1'.length)));
    for (const route of rows.flatMap((line) => [...line.matchAll(/`(?:[A-Z]+ )?(\/[\w/:-]+)[`?]/g)].map(([, path]) => path as string))) {
      const isThere = [...served].some((path) => path === route || path.endsWith(route)) || ['/api/v1', '/metrics', '/live'].includes(route);
      expect(isThere, `docs/admin-api.md mentions ${route}, which is not served`).to.equal(true);
    }
  });

  it('belong in the body where something is changed', async () => {
    expect(await ask('POST', '/queues/pause?step=a', {}))
      .to.equal('400 invalid_argument: "step" stands in the query; this route takes its arguments from the body');
  });

  it('are taken as they are for metrics that a scraper asks for', async () => {
    expect(await ask('GET', '/metrics?zzzzzz=1')).to.equal('200');
  });
});
