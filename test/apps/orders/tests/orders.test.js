import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { createTestEngine } from '@treadle/engine/testing';

let app;
let status = 200;
const bank = createServer((request, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');

before(async () => {
  if (!bank.listening) await once(bank, 'listening');
  process.env.BANK_URL = `http://127.0.0.1:${bank.address().port}`;
  app = await createTestEngine();
});
beforeEach(async () => {
  await app.reset();
  status = 200;
  await app.state.set('stock', 'lamp', { left: 3, taken: {} });
});
after(async () => {
  await app.stop();
  bank.closeAllConnections();
  bank.close();
});

const place = (id, count = 1) => app.http('POST', '/orders', { body: { id, article: 'lamp', count, cents: 500 } });

test('takes an order to its end, and stock once', async () => {
  await place('o-1', 2);
  await place('o-1', 2);
  await app.untilIdle();
  assert.deepEqual(await app.state.get('orders', 'o-1'), { status: 'shipped' });
  assert.deepEqual(await app.state.get('stock', 'lamp'), { left: 1, taken: { 'o-1': 2 } });
});

test('keeps an order that the bank does not take', async () => {
  status = 503;
  await place('o-2');
  await app.untilIdle();
  await app.clock.advance(60_000);
  const [letter] = await app.deadLetters({ step: 'ChargeCard' });
  assert.deepEqual([letter.reason, letter.attempts], ['max_attempts', 3]);
});

test('gives up a declined card at once', async () => {
  status = 402;
  await place('o-3');
  await app.untilIdle();
  const [letter] = await app.deadLetters({ step: 'ChargeCard' });
  assert.deepEqual([letter.reason, letter.attempts], ['non_retryable', 1]);
});
