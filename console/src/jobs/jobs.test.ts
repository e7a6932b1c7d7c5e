import { expect } from 'chai';
import { type ShopUnderTest, startShop, until } from '../application.fixture.js';
import type { AuditEntry, DeadLetter, DeadLetterGroups, Items, Job, JobSummary, Overview, Page, Problem, QueueRates, Selection } from '../contract/index.js';

const LETTERS = 130;

describe('bulk actions', function () {
  this.timeout(90_000);
  let shop: ShopUnderTest;
  before(async () => { shop = await startShop(); });
  after(() => shop?.stop());

  const dead = async (): Promise<number> => (await shop.json<Overview>('GET', '/overview')).queues?.dead ?? 0;
  /** Adds orders for which no mail can be sent. */
  const fail = async (count: number, from: number): Promise<void> => {
    const there = await dead();
    await shop.json('POST', '/queues/messages', { messages: Array.from({ length: count }, (_, at) => ({ topic: 'orders.placed', data: { id: from + at, fail: true } })) });
    await until('the dead letters', async () => await dead() === there + count);
  };
  const select = (body: object): Promise<Selection> => shop.json('POST', '/selections', body);
  const begin = (body: object): Promise<Job> => shop.json('POST', '/jobs', body);
  const ended = async ({ id }: Job): Promise<Job> => {
    await until('the end of the job', async () => (await shop.json<Job>('GET', `/jobs/${id}`)).endedAt !== undefined);
    return shop.json('GET', `/jobs/${id}`);
  };
  const refusal = async (method: string, path: string, body?: object): Promise<string> => {
    const { status, json } = await shop.ask(method, `/api/v1${path}`, body);
    return `${status} ${(json as Problem).code}`;
  };

  it('redrive a group: what was frozen and nothing that comes later, one first, with an entry in the audit', async () => {
    await fail(LETTERS, 0);
    const { items: [group] } = await shop.json<DeadLetterGroups>('GET', '/queues/dead-letters/groups');
    expect(group).to.include({ count: LETTERS, errorName: 'TypeError' });
    const selection = await select({ kind: 'dead-letters', step: 'Notify', topic: 'orders.placed', fingerprint: group?.fingerprint });
    expect(selection).to.deep.include({ kind: 'dead-letters', count: LETTERS, truncated: false, actions: [{ action: 'redrive', role: 'operator' }, { action: 'discard', role: 'operator' }] });
    expect(selection.samples).to.have.length(5);
    const newest = await shop.json<DeadLetter>('GET', `/queues/dead-letters/${selection.samples[0] ?? ''}`);
    await fail(3, 1_000);
    await shop.json('POST', '/queues/dead-letters/discard', { ids: [selection.samples[4]] });
    const wanted = { selection: selection.id, action: 'redrive', data: { id: 'mended' }, canary: true };
    expect(await refusal('POST', '/jobs', { ...wanted, count: LETTERS - 1 })).to.equal('409 count_differs');
    const job = await begin({ ...wanted, count: LETTERS });
    await until('the first one', async () => (await shop.json<Job>('GET', `/jobs/${job.id}`)).state === 'paused');
    const paused = await shop.json<Job>('GET', `/jobs/${job.id}`);
    expect(paused).to.include({ done: 1, missing: 0, failed: 0, count: LETTERS, who: 'local', kind: 'dead-letters', topic: 'orders.placed' });
    expect(paused.first, 'what became of it is in its trace').to.deep.equal({ id: selection.samples[0], traceId: newest?.traceId });
    expect(await shop.json('GET', `/go/${job.id}`)).to.include({ kind: 'job', path: `/modules?tab=jobs&job=${job.id}` });
    expect(await refusal('POST', '/jobs', { ...wanted, count: LETTERS }), 'a selection has one job').to.equal('404 not_found');
    await shop.json('POST', `/jobs/${job.id}/resume`, {});
    expect(await ended(job)).to.include({ state: 'done', done: LETTERS - 1, missing: 1, failed: 0 });
    expect(await dead(), 'those that came later').to.equal(3);
    const { failures, ...summary } = await shop.json<Job>('GET', `/jobs/${job.id}`);
    expect(failures).to.deep.equal([]);
    expect((await shop.json<Items<JobSummary>>('GET', '/jobs')).items, 'without what did not go through').to.deep.equal([summary]);
    const { items: audit } = await shop.json<Page<AuditEntry>>('GET', '/audit');
    expect(audit.find(({ method }) => method === 'JOB')).to.deep.include({ who: 'local', role: 'admin', selection: selection.hash, status: 200, result: `redrive done: ${LETTERS - 1} of ${LETTERS} done, 1 missing, 0 failed` });
    expect(audit.find(({ path, status }) => path === '/api/v1/jobs' && status === 200)).to.deep.include({ selection: selection.hash });
  });

  it('go at a rate, pause, and leave the rest when they are cancelled', async () => {
    const there = await dead();
    await fail(20, 2_000);
    const { id: selection, count } = await select({ kind: 'dead-letters', step: 'Notify' });
    expect(count).to.equal(there + 20);
    const job = await begin({ selection, count, action: 'discard', perSecond: 20 });
    await until('some of them', async () => (await shop.json<Job>('GET', `/jobs/${job.id}`)).done >= 2);
    expect(await shop.json<Job>('POST', `/jobs/${job.id}/pause`, {})).to.include({ state: 'paused' });
    const before = await shop.json<Job>('GET', `/jobs/${job.id}`);
    expect(before.done).to.be.lessThan(count);
    await shop.json('POST', `/jobs/${job.id}/cancel`, {});
    const over = await ended(job);
    expect(over.state).to.equal('cancelled');
    expect(over.done - before.done, 'what was under way').to.be.within(0, 2);
    expect(await dead()).to.equal(count - over.done);
    expect(await shop.json<Job>('POST', `/jobs/${job.id}/resume`, {}), 'over is over').to.include({ state: 'cancelled' });
  });

  it('delete keys, and count those that somebody else has deleted', async () => {
    for (let at = 0; at < 60; at += 1) await shop.json('PUT', `/state/groups/carts/keys/c-${at}`, { value: at });
    await shop.json('PUT', '/state/groups/carts/keys/other', { value: 1 });
    const { id: selection, count, samples } = await select({ kind: 'state-keys', group: 'carts', prefix: 'c-' });
    expect([count, samples[0]]).to.deep.equal([60, 'c-0']);
    await shop.json('DELETE', '/state/groups/carts/keys/c-7');
    await shop.json('PUT', '/state/groups/carts/keys/c-later', { value: 1 });
    expect(await ended(await begin({ selection, count, action: 'delete' }))).to.include({ kind: 'state-keys', group: 'carts', state: 'done', done: 59, missing: 1, failed: 0 });
    const { items } = await shop.json<Items<{ key: string }>>('GET', '/state/groups/carts/keys');
    expect(items.map(({ key }) => key)).to.deep.equal(['c-later', 'other']);
  });

  it('are refused where they make no sense', async () => {
    const { id: selection, count } = await select({ kind: 'state-keys', group: 'carts', keys: ['other', 'other', 'gone'] });
    expect(count).to.equal(2);
    for (const [body, said] of [
      [{ selection, count, action: 'redrive' }, '400 invalid_argument'], [{ selection, count, action: 'drop' }, '400 invalid_argument'], [{ selection, count, action: 'delete', perSecond: 0 }, '400 invalid_argument'],
      [{ selection, action: 'delete' }, '400 invalid_argument'], [{ selection: 'nothing', count, action: 'delete' }, '404 not_found'], [{ selection, count, action: 'delete', data: 1 }, '400 invalid_argument'],
    ] as const) expect(await refusal('POST', '/jobs', body), JSON.stringify(body)).to.equal(said);
    for (const body of [{}, { kind: 'keys' }, { kind: 'state-keys' }, { kind: 'dead-letters', group: 'x' }, { kind: 'dead-letters', ids: 'x' }, { kind: 'dead-letters', reason: 'bad' }]) {
      expect(await refusal('POST', '/selections', body), JSON.stringify(body)).to.equal('400 invalid_argument');
    }
    expect(await refusal('GET', '/jobs/nothing')).to.equal('404 not_found');
    const viewer = await shop.raw(['POST /api/v1/selections HTTP/1.1', 'Host: 127.0.0.1:{}', 'Authorization: Bearer a-token-of-the-viewer', 'Content-Type: application/json', 'X-Console: 1', 'Content-Length: 2'], '{}');
    expect(viewer.status).to.equal(403);
  });

  it('leave their mark in the rates of the queue', async () => {
    const { items, windowMs } = await shop.json<QueueRates>('GET', '/queues/rates?windowMs=300000');
    const notify = items.find(({ step }) => step === 'Notify');
    expect(windowMs).to.be.within(1, 300_000);
    expect(Math.round((notify?.deadPerSecond ?? 0) * windowMs / 1_000)).to.equal(LETTERS + 3 + 20);
    expect(Math.round((notify?.donePerSecond ?? 0) * windowMs / 1_000)).to.equal(LETTERS - 1);
    expect(await refusal('GET', '/queues/rates?windowMs=1')).to.equal('400 invalid_argument');
  });

  it('are for all letters that fit a query, in a group or all', async () => {
    await shop.json('POST', '/queues/dead-letters/discard', { all: true });
    await fail(12, 500);
    const { items: [group] } = await shop.json<DeadLetterGroups>('GET', '/queues/dead-letters/groups');
    const counts = async (more: object): Promise<number> => (await select({ kind: 'dead-letters', topic: 'orders.placed', ...more })).count;
    expect(await counts({ q: 'data.id:505 OR data.id:507' })).to.equal(2);
    expect(await counts({ q: 'data.id:505 OR data.id:507', fingerprint: group?.fingerprint })).to.equal(2);
    expect(await counts({ q: 'data.id:505', fingerprint: '0'.repeat(16) })).to.equal(0);
    expect(await counts({ q: 'reason:max_attempts' })).to.equal(12);
    expect(await refusal('POST', '/selections', { kind: 'dead-letters', q: 'attempt:x' })).to.equal('400 invalid_query');
    expect(await refusal('POST', '/selections', { kind: 'dead-letters', q: 'data.id:505', ids: ['1'] })).to.equal('400 invalid_argument');
    const { id: selection, count } = await select({ kind: 'dead-letters', q: 'data.id:505 OR data.id:507' });
    expect(await ended(await begin({ selection, count, action: 'discard' }))).to.include({ state: 'done', done: 2 });
    expect(await dead()).to.equal(10);
    await shop.json('POST', '/queues/dead-letters/discard', { all: true });
  });
});
