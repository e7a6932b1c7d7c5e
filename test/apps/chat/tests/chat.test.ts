import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestEngine, type TestEngine } from '@treadle/engine/testing';

let app: TestEngine;
before(async () => {
  process.env['SESSION_SECRET'] = 'sixteen characters or more';
  app = await createTestEngine();
});
after(() => app.stop());

async function cookieOf(user: string): Promise<string> {
  const { headers } = await app.http('POST', '/api/sign-in', { body: { user } });
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

test('puts a message of somebody who is signed in on the stream', async () => {
  const { status } = await app.http('POST', '/api/rooms/lobby/messages', { body: { text: 'Hello' }, headers: { cookie: await cookieOf('Ada') } });
  assert.equal(status, 201);
  const [message] = await app.streams.chat.list('lobby');
  assert.deepEqual([message?.user, message?.text], ['Ada', 'Hello']);
});

test('lets nobody else write', async () => {
  assert.equal((await app.http('POST', '/api/rooms/lobby/messages', { body: { text: 'Hello' } })).status, 401);
});

test('keeps the latest hundred', async () => {
  for (let n = 1; n <= 103; n++) await app.streams.chat.set('busy', `${n}`, { id: `${n}`, user: 'Ada', text: `${n}`, at: '2026-01-01' });
  await app.untilIdle();
  const kept = await app.streams.chat.list('busy');
  assert.deepEqual([kept.length, kept[0]?.text], [100, '4']);
});
