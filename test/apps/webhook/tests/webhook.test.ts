import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createTestEngine, type TestEngine } from '@treadle/engine/testing';

let app: TestEngine;
before(async () => {
  process.env['WEBHOOK_SECRET'] = 'a secret for tests';
  app = await createTestEngine();
});
after(() => app.stop());

async function send(event: object, secret = 'a secret for tests'): Promise<number> {
  const signature = createHmac('sha256', secret).update(JSON.stringify(event)).digest('hex');
  return (await app.http('POST', '/webhooks/payments', { body: event, headers: { 'x-signature': `sha256=${signature}` } })).status;
}

test('books an event that is sent twice once', async () => {
  const event = { id: 'e-1', type: 'payment.succeeded', invoice: 'i-1', cents: 500 };
  assert.deepEqual([await send(event), await send(event)], [202, 202]);
  await app.untilIdle();
  assert.equal(app.messages('payment.event').length, 1);
  assert.deepEqual(await app.state.get('invoices', 'i-1'), { 'e-1': 500 });
});

test('refuses a wrong signature before it looks at the body', async () => {
  assert.equal(await send({ id: 'e-2' }, 'another secret'), 401);
  assert.equal(await send({ id: 'e-2' }), 400);
});
