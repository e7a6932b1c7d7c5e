import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createTestEngine, type TestEngine } from '@treadle/engine/testing';
import type { Ticket } from '../src/ticket.js';
import { ticketCreated, ticketTriaged } from '../src/topics.js';

const NEW = { title: 'The printer is on fire', customer: { id: 'c1', email: 'ada@example.com' } };

describe('tickets', () => {
  let app: TestEngine;
  beforeEach(async () => { app = await createTestEngine({ now: new Date('2026-03-27T10:00:00Z') }); });
  afterEach(() => app.stop());

  const create = async (change: object = {}): Promise<string> => (await app.http('POST', '/tickets', { body: { ...NEW, ...change } })).body.id;

  it('are triaged and shown on the board, in one trace', async () => {
    const { status, body: { id }, traceId } = await app.http('POST', '/tickets', { body: NEW });
    assert.equal(status, 201);
    await app.untilIdle();
    assert.equal((await app.state.get<Ticket>('tickets', id))?.status, 'triaged');
    assert.deepEqual(app.messages(ticketCreated).map(({ data }) => data), [{ ticketId: id }]);
    assert.deepEqual(app.messages().map((message) => message.traceId), [traceId, traceId]);
    assert.equal((await app.streams['board']?.list('triaged'))?.length, 1);
    assert.deepEqual(app.messages(ticketTriaged).map(({ data }) => data), [{ ticketId: id, priority: 'normal' }]);
  });

  it('are refused with the place of each fault', async () => {
    const { status, body } = await app.http('POST', '/tickets', { body: { ...NEW, customer: {} } });
    assert.equal(status, 400);
    assert.deepEqual(body.issues.map(({ path }: { path: string }) => path), ['customer.id']);
    assert.deepEqual(app.messages(), []);
  });

  it('of high priority are escalated, others are not', async () => {
    const [high, low] = [await create({ priority: 'high' }), await create({ priority: 'low' })];
    await app.untilIdle();
    assert.equal((await app.state.getEntry('escalations', high))?.revision, 1);
    assert.equal(await app.state.getEntry('escalations', low), null);
  });

  it('are written down at every change', async () => {
    const id = await create();
    await app.untilIdle();
    await app.http('DELETE', `/tickets/${id}`);
    await app.untilIdle();
    assert.deepEqual(await app.state.get('audit', id), [
      { change: 'create', status: 'open' }, { change: 'update', status: 'triaged' }, { change: 'delete', status: null }]);
  });

  it('are counted every morning at nine in Berlin, over the change of the clocks', async () => {
    await create();
    await app.untilIdle();
    await app.clock.advance(3 * 24 * 3_600_000);
    assert.deepEqual((await app.state.list('digests')).items.map(({ key }) => key), ['2026-03-28', '2026-03-29', '2026-03-30']);
    assert.deepEqual(await app.state.get('digests', '2026-03-30'), { open: 0, triaged: 1, closed: 0 });
    assert.equal((await app.cron('DailyDigest', { at: new Date('2026-04-01T07:00:00Z') })).status, 'succeeded');
    await app.untilIdle();
    assert.deepEqual(await app.state.get('digests', '2026-04-01'), { open: 0, triaged: 1, closed: 0 });
  });
});
