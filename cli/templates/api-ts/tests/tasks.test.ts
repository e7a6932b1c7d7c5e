import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createTestEngine, type TestEngine } from '@treadle/engine/testing';
import type { Task } from '../src/task.js';

let app: TestEngine;
before(async () => { app = await createTestEngine(); });
// Each test begins with nothing stored.
beforeEach(() => app.reset());
after(() => app.stop());

async function create(description: string): Promise<Task> {
  const { status, body } = await app.http('POST', '/tasks', { body: { description } });
  assert.equal(status, 201);
  return body;
}

test('stores a task and reads it back', async () => {
  const created = await create('Buy milk');
  assert.equal(created.description, 'Buy milk');
  assert.equal(created.completed, false);
  const { status, body } = await app.http('GET', `/tasks/${created.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, created);
});

test('refuses a task without description', async () => {
  const { status, body } = await app.http('POST', '/tasks', { body: { dueDate: '2030-01-01' } });
  assert.equal(status, 400);
  assert.equal(body.code, 'validation_failed');
});

test('lists tasks page by page', async () => {
  const descriptions = ['one', 'two', 'three'];
  for (const description of descriptions) await create(description);
  const pages = [];
  for (const page of [1, 2, 3]) {
    const { body } = await app.http('GET', '/tasks', { query: { page, limit: 2 } });
    pages.push(body.items.map(({ description }: Task) => description));
  }
  assert.deepEqual(pages.map(({ length }) => length), [2, 1, 0]);
  assert.deepEqual(pages.flat().sort(), descriptions.sort());
});

test('changes a task', async () => {
  const created = await create('Buy milk');
  const { status, body } = await app.http('PUT', `/tasks/${created.id}`, { body: { completed: true } });
  assert.equal(status, 200);
  assert.deepEqual(body, { ...created, completed: true });
});

test('deletes a task', async () => {
  const { id } = await create('Buy milk');
  assert.equal((await app.http('DELETE', `/tasks/${id}`)).status, 204);
  assert.equal((await app.http('GET', `/tasks/${id}`)).status, 404);
  assert.equal((await app.http('PUT', `/tasks/${id}`, { body: { completed: true } })).status, 404);
});
