import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestEngine, type TestEngine } from '@treadle/engine/testing';

let app: TestEngine;
before(async () => { app = await createTestEngine(); });
after(() => app.stop());

test('counts visits', async () => {
  const { body: { code } } = await app.http('POST', '/links', { body: { url: 'https://example.com/' } });
  await app.http('GET', `/${code}`);
  await app.untilIdle();
  assert.deepEqual((await app.http('GET', `/links/${code}`)).body, { code, url: 'https://example.com/', visits: 1 });
});

test('gives a code away once', async () => {
  const body = { url: 'https://example.com/', code: 'mine' };
  const answers = await Promise.all([app.http('POST', '/links', { body }), app.http('POST', '/links', { body })]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
});
