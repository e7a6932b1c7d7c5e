import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestEngine } from '@treadle/engine/testing';

let app;
before(async () => { app = await createTestEngine(); });
after(() => app.stop());

test('greets by name', async () => {
  const { status, body } = await app.http('GET', '/hello', { query: { name: 'Ada' } });
  assert.equal(status, 200);
  assert.deepEqual(body, { message: 'Hello, Ada!' });
});

test('greets the world without a name', async () => {
  const { body } = await app.http('GET', '/hello');
  assert.deepEqual(body, { message: 'Hello, world!' });
});

test('counts greetings', async () => {
  await app.http('GET', '/hello', { query: { name: 'Grace' } });
  await app.http('GET', '/hello', { query: { name: 'Grace' } });
  await app.untilIdle();
  assert.deepEqual(await app.state.get('greetings', 'Grace'), { count: 2 });
});
