import { expect } from 'chai';
import { type ShopUnderTest, startShop, until } from '../application.fixture.js';
import type { CronCalendar, DeadLetterGroups, Overview, Page, StateHistory, StateItem, StreamItem } from '../contract/index.js';

interface Refused {
  readonly status: number;
  readonly code: string;
}

describe('what the console does with state, streams, dead letters and cron', function () {
  this.timeout(90_000);
  let shop: ShopUnderTest;
  before(async () => {
    shop = await startShop();
  });
  after(() => shop?.stop());

  const KEY = '/state/groups/prices/keys/lamp';
  const put = (value: unknown, headers: Record<string, string> = {}): Promise<Response> => fetch(`http://127.0.0.1:${shop.port}/api/v1${KEY}`, {
    method: 'PUT', headers: { authorization: `Bearer ${shop.token}`, 'x-console': '1', 'content-type': 'application/json', ...headers }, body: JSON.stringify({ value }),
  });

  it('writes a value only over the revision that If-Match names, as ETag gave it', async () => {
    const first = await put(1);
    expect([first.status, first.headers.get('etag')]).to.deep.equal([200, '"1"']);
    const second = await put(2, { 'if-match': '"1"' });
    expect([second.status, second.headers.get('etag')]).to.deep.equal([200, '"2"']);
    const late = await put(3, { 'if-match': '"1"' });
    expect([late.status, (await late.json() as Refused).code]).to.deep.equal([409, 'conflict']);
    expect((await put(3, { 'if-match': '2' })).status).to.equal(400);
    expect(await shop.json('GET', KEY)).to.deep.equal({ key: 'lamp', value: 2, revision: 2 });
  });

  it('does nothing under a condition that it cannot compare, and takes a write back only over the revision of If-Match', async () => {
    const other = '/state/groups/prices/keys/chair';
    const ask = (method: string, path: string, revision: string, body: object = {}): Promise<Response> => fetch(`http://127.0.0.1:${shop.port}/api/v1${path}`, {
      method, headers: { authorization: `Bearer ${shop.token}`, 'x-console': '1', 'content-type': 'application/json', 'if-match': revision }, body: JSON.stringify(body),
    });
    await shop.json('GET', `${other}/history`);
    for (const value of [1, 2]) await shop.json('PUT', other, { value });
    for (const [method, path, body] of [['DELETE', other, {}], ['DELETE', '/streams/orders/groups/g/items/tagged', {}], ['POST', '/selections', { kind: 'state-keys', group: 'prices' }]] as const) {
      expect(await (await ask(method, path, '"9"', body)).json(), path).to.include({ status: 400, code: 'invalid_argument' });
    }
    expect(await shop.json('GET', other)).to.include({ value: 2, revision: 2 });
    expect((await ask('PUT', '/streams/orders/groups/g/items/tagged', '"9"', { value: 1 })).status, 'an item of a stream').to.equal(409);
    const { items: [change] } = await shop.json<StateHistory>('GET', `${other}/history`);
    expect((await ask('POST', `${other}/restore`, '"1"', { change: change?.id })).status).to.equal(409);
    const restored = await ask('POST', `${other}/restore`, '"2"', { change: change?.id });
    expect([restored.status, restored.headers.get('etag'), (await restored.json() as StateItem).value]).to.deep.equal([200, '"3"', 1]);
    await shop.json('DELETE', other, {});
  });

  it('knows the last writes of a key, and takes one back', async () => {
    expect((await shop.json<StateHistory>('GET', `${KEY}/history`)).items).to.deep.equal([]);
    await put({ cents: 500 });
    await shop.json('DELETE', KEY, {});
    const { items: [deleted, written] } = await shop.json<StateHistory>('GET', `${KEY}/history`);
    expect(written).to.deep.include({ group: 'prices', key: 'lamp', before: { value: 2, revision: 2 }, after: { value: { cents: 500 }, revision: 3 } });
    expect(deleted).to.deep.include({ before: { value: { cents: 500 }, revision: 3 } }).and.not.have.property('after');
    expect(await shop.json<StateItem>('POST', `${KEY}/restore`, { change: deleted?.id })).to.deep.include({ key: 'lamp', value: { cents: 500 } });
    expect((await shop.json<StateHistory>('GET', `${KEY}/history`)).items).to.have.length(3);
    expect(await shop.json('POST', `${KEY}/restore`, { change: written?.id, revision: 1 })).to.include({ status: 409, code: 'conflict' });
    expect(await shop.json('POST', `${KEY}/restore`, { change: 99 })).to.include({ status: 404, code: 'not_found' });
    expect(await shop.json('POST', `${KEY}/restore`, {})).to.include({ status: 400, code: 'invalid_argument' });
  });

  it('keeps the last 20 writes of a key, with the trace that wrote them', async () => {
    for (let at = 0; at < 22; at += 1) await put(at);
    expect((await shop.json<StateHistory>('GET', `${KEY}/history`)).items.map(({ after }) => after?.value)).to.deep.equal([...Array(20).keys()].map((at) => 21 - at));
    const { traceId } = await shop.order({ id: 'o-1' });
    const { items: [change] } = await shop.json<StateHistory>('GET', '/state/groups/orders/keys/o-1/history');
    expect(change).to.include({ traceId, step: 'Order' });
  });

  it('writes and removes items of streams', async () => {
    const item = '/streams/orders/groups/g/items/i%2F1';
    expect(await shop.json<StreamItem>('PUT', item, { value: { n: 1 } })).to.deep.equal({ id: 'i/1', value: { n: 1 }, revision: 1 });
    expect(await shop.json<StreamItem>('PUT', item, { value: { n: 2 } })).to.deep.equal({ id: 'i/1', value: { n: 2 }, revision: 2 });
    expect((await shop.json<Page<StreamItem>>('GET', '/streams/orders/groups/g')).items).to.deep.equal([{ id: 'i/1', value: { n: 2 }, revision: 2 }]);
    expect(await shop.json('DELETE', item, {})).to.deep.equal({ deleted: true });
    expect((await shop.json<Page<StreamItem>>('GET', '/streams/orders/groups/g')).items).to.deep.equal([]);
    expect(await shop.json('PUT', '/streams/none/groups/g/items/a', { value: 1 })).to.include({ status: 404, code: 'not_found' });
    expect(await shop.json('PUT', item, {})).to.include({ status: 400, code: 'invalid_argument' });
  });

  it('gathers dead letters by how they failed', async () => {
    for (const id of ['o-7', 'o-8', 'o-9']) await shop.order({ id, fail: true });
    await until('the dead letters', async () => (await shop.json<Overview>('GET', '/overview')).queues?.dead === 3);
    const { items, examined, truncated } = await shop.json<DeadLetterGroups>('GET', '/queues/dead-letters/groups?step=Notify');
    expect([items.length, examined, truncated]).to.deep.equal([1, 3, false]);
    expect(items[0]).to.include({ step: 'Notify', topic: 'orders.placed', reason: 'max_attempts', errorName: 'TypeError', count: 3 });
    expect(items[0]?.fingerprint).to.match(/^[0-9a-f]{16}$/);
    expect(items[0]?.samples).to.have.length(3);
    expect((await shop.json<DeadLetterGroups>('GET', '/queues/dead-letters/groups?reason=crash_limit')).items).to.deep.equal([]);
    expect(await shop.json('GET', '/queues/dead-letters/groups?reason=x')).to.include({ status: 400, code: 'invalid_argument' });
  });

  it('shows the ticks to come', async () => {
    const ticks = await shop.json<CronCalendar>('GET', '/cron/calendar?from=2030-06-01T00:00:00Z&to=2031-02-01T00:00:00Z');
    expect(ticks).to.deep.include({ truncated: false });
    expect(ticks.items.map(({ at, step }) => [at, step])).to.deep.equal([['2031-01-01T00:00:00.000Z', 'Yearly']]);
    for (const query of ['from=soon', 'from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z', 'from=2030-01-01T00:00:00Z&to=2040-01-01T00:00:00Z', 'limit=0']) {
      expect(await shop.json('GET', `/cron/calendar?${query}`), query).to.include({ status: 400, code: 'invalid_argument' });
    }
  });
});
