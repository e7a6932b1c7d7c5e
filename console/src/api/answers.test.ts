import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type ShopUnderTest, startShop, until } from '../application.fixture.js';
import { answerFaults } from './answer-faults.fixture.js';
import type { ApiIndex } from '../contract/index.js';
import { ANSWERS, BODIES, TEXTS } from './answer-schemas.generated.js';

const SCRIPT = fileURLToPath(new URL('../../scripts/write-answer-schemas.mjs', import.meta.url));
/** The schemas, and the types of the page's client. */
const WRITTEN = ['./answer-schemas.generated.ts', '../../app/src/api/types.generated.ts'].map((file) => fileURLToPath(new URL(file, import.meta.url)));

describe('the schemas of answers', function () {
  this.timeout(120_000);
  let shop: ShopUnderTest;
  before(async () => {
    shop = await startShop();
  });
  after(() => shop?.stop());

  it('are those of the types, and the types of the page are those of the schemas', () => {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-schemas-'));
    const made = [join(folder, 'schemas.ts'), join(folder, 'types.ts')];
    execFileSync(process.execPath, [SCRIPT, ...made]);
    const stale = WRITTEN.filter((file, at) => readFileSync(file, 'utf8') !== readFileSync(made[at] as string, 'utf8'));
    rmSync(folder, { recursive: true });
    expect(stale, 'run "npm run console:api"').to.deep.equal([]);
  });

  it('are for routes that there are', async () => {
    const { items } = await shop.json<ApiIndex>('GET', '');
    const routes = items.map(({ method, path }) => `${method} ${path.slice('/api/v1'.length).replace(/^\/modules\/[^/]+::adapters::[^/]+/, '/modules/:adapter')}`);
    expect(Object.keys({ ...ANSWERS, ...BODIES, ...TEXTS }).filter((route) => !routes.includes(route))).to.deep.equal([]);
  });

  it('fit what the routes of an engine answer in which something has happened', async () => {
    const { traceId } = await shop.order({ id: 'o-1' });
    const failed = await shop.order({ id: 'o-2', fail: true });
    await until('the dead letter', async () => (await shop.json<{ items: readonly unknown[] }>('GET', '/queues/dead-letters')).items.length > 0);
    const { items: [letter] } = await shop.json<{ readonly items: readonly { readonly id: string }[] }>('GET', '/queues/dead-letters');
    const { items: [run] } = await shop.json<{ readonly items: readonly { readonly id: string }[] }>('GET', '/history');
    const asked = [
      '', '/openapi.json', '/audit', '/config', '/cron', '/cron/calendar', '/cron/expression?expression=0%209%20*%20*%20*', '/cron/runs', '/engine', '/findings', '/flows', `/go/${traceId}`, '/history', `/history/${run?.id ?? ''}`,
      '/jobs', '/logs', '/logs/facets', '/logs/histogram', '/logs/patterns', '/meta', '/metrics/now', '/modules', '/modules/modules::observability::OtelModule/telemetry', '/modules/modules::state::adapters::Sqlite/store', '/overview', '/plugin-views', '/queues',
      '/queues/dead-letters', `/queues/dead-letters/${letter?.id ?? ''}`, '/queues/dead-letters/groups', '/queues/dead-letters/ids', '/queues/messages?step=Notify', '/queues/rates', '/state/groups',
      '/state/groups/orders/keys', '/state/groups/orders/search?q=id:o-1', '/state/groups/orders/tree', '/state/groups/orders/keys/o-1', '/state/groups/orders/keys/o-1/history', '/state/groups/orders/keys/o-1/expiry', '/steps', '/steps/Order/source', '/streams', '/streams/orders/groups', '/streams/orders/groups/all',
      '/streams/connections', '/traces', `/traces/${traceId}`, `/traces/${traceId}/capture`, `/traces/${traceId}/otlp`, '/traces/activity', '/traces/failures?step=Fails', '/traces/groups?by=step', `/traces/${traceId}/path`, `/traces/${traceId}/spans`, `/traces/compare?a=${traceId}&b=${failed.traceId}`, '/workers',
    ];
    const faults: string[] = [];
    for (const path of asked) faults.push(...answerFaults('GET', path, await shop.json('GET', path)));
    const selection = await shop.json<{ readonly id: string; readonly count: number }>('POST', '/selections', { kind: 'dead-letters' });
    faults.push(...answerFaults('POST', '/selections', selection));
    faults.push(...answerFaults('POST', '/jobs', await shop.json('POST', '/jobs', { selection: selection.id, count: selection.count, action: 'discard' })));
    const state = { key: '/state/groups/orders/keys/o-1', item: '/streams/orders/groups/all/items/s-1' };
    const asks: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ['POST', '/queues/messages', { topic: 'orders.placed', data: { id: 'o-3' } }], ['POST', '/queues/messages', { messages: [{ topic: 'nobody.listens', data: 1 }] }],
      ['POST', '/queues/pause', { step: 'Notify' }], ['POST', '/queues/resume', { step: 'Notify' }], ['POST', '/queues/purge', { step: 'Notify' }],
      ['POST', '/queues/dead-letters/redrive', { all: true }], ['POST', '/queues/dead-letters/discard', { all: true }], ['PUT', state.key, { value: 1 }],
      ['PUT', state.item, { value: { id: 's-1' } }], ['DELETE', state.item], ['POST', '/traces/search', {}], ['POST', '/traces/compare', { a: traceId, b: failed.traceId }],
      ['POST', '/logs/search', {}], ['POST', '/logs/facets', {}], ['POST', '/logs/histogram', {}], ['POST', '/cron/pause', { step: 'Yearly' }], ['POST', '/cron/resume', { step: 'Yearly' }],
      ['POST', '/cron/run', { step: 'Yearly' }], ['POST', '/run', { kind: 'queue', topic: 'orders.placed', data: { id: 'o-4' } }],
    ];
    const put = await shop.json<{ readonly revision: number }>('PUT', state.key, { value: 1 });
    faults.push(...answerFaults('PUT', `${state.key}/expiry`, await shop.json('PUT', `${state.key}/expiry`, { ttlMs: 60_000, revision: put.revision })));
    faults.push(...answerFaults('DELETE', state.key, await shop.json('DELETE', state.key)));
    for (const [method, path, body] of asks) faults.push(...answerFaults(method, path, await shop.json(method, path, body)));
    const { items: [written] } = await shop.json<{ items: readonly { id: number }[] }>('GET', `${state.key}/history`);
    faults.push(...answerFaults('POST', `${state.key}/restore`, await shop.json('POST', `${state.key}/restore`, { change: written?.id })));
    expect(faults).to.deep.equal([]);
  });

  it('find an answer that does not fit', () => {
    expect(answerFaults('GET', '/session/link', { url: 1 })).to.deep.equal([]);
    expect(answerFaults('POST', '/session/link', { url: 1, expiresAt: 'x' }).join()).to.contain('/url');
    expect(answerFaults('GET', '/streams/board/groups', { items: ['a'], more: 1 }).join()).to.contain('more');
  });
});
