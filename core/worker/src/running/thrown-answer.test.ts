import { expect } from 'chai';
import { HttpError } from 'treadle';
import { json, serve } from '../runner.fixture.js';

const throwing = (error: unknown, trigger: object = {}): ReturnType<typeof serve> => serve(() => { throw error; }, trigger);

describe('an error that asks for an answer', () => {
  it('is answered with its status, and its sentence where it has no body', async () => {
    expect(await (await throwing(new HttpError(404))).http('A')).to.deep.equal({ status: 404, thrown: 'Not Found' });
    expect(await (await throwing(new HttpError(404, 'no such ticket'))).http('A')).to.deep.equal({ status: 404, thrown: 'no such ticket' });
    const headers = { 'retry-after': 7 };
    expect(await (await throwing(new HttpError(429, 'later', headers))).http('A')).to.deep.equal({ status: 429, headers: { 'retry-after': '7' }, thrown: 'later' });
  });

  it('is answered with its body, in any form that a handler may return', async () => {
    expect(json(await (await throwing(new HttpError(409, { taken: 'a' }))).http('A'))).to.deep.equal({ taken: 'a' });
    expect(json(await (await throwing(new HttpError(409, Promise.resolve({ taken: 'b' })))).http('A'))).to.deep.equal({ taken: 'b' });
    const page = await (await throwing(new HttpError(410, '<p>gone', { 'Content-Type': 'text/html' }))).http('A');
    expect(page.body).to.deep.equal({ kind: 'text', value: '<p>gone' });
  });

  it('may come from middleware and from a condition', async () => {
    const refuse = (): never => { throw new HttpError(401, 'who are you?'); };
    for (const trigger of [{ middleware: refuse }, { condition: refuse }]) {
      expect(await (await serve(() => ({ status: 200 }), trigger)).http('A')).to.deep.equal({ status: 401, thrown: 'who are you?' });
    }
  });

  it('is logged from 500 on only', async () => {
    const mild = await throwing(new HttpError(422, 'no'));
    await mild.http('A');
    expect(mild.logs).to.deep.equal([]);
    const hard = await throwing(new HttpError(503, 'not now'));
    await hard.http('A');
    expect(hard.logs.map(({ level, message, fields }) => [level, message, fields?.['error'], fields?.['errorName']]))
      .to.deep.equal([['error', 'a handler failed', 'not now', 'HttpError']]);
  });

  it('is an error like any other where there is no request', async () => {
    const made = await serve(() => { throw new HttpError(404, 'no such ticket'); }, { type: 'queue', topic: 't' });
    expect(await made.failure('A', { trigger: { type: 'queue', index: 0 } }))
      .to.include({ code: 'unhandled_exception', message: 'no such ticket', name: 'HttpError' });
  });

  it('is refused when its headers cannot be sent', async () => {
    const made = await throwing(new HttpError(404, 'x', { 'a b': '1' }));
    expect(await made.failure('A')).to.include({ code: 'invalid_handler_result', message: '"a b" is not a valid header name' });
  });

  const foreign = (members: object): Error => Object.assign(new Error('secret'), members);
  const honoured: readonly [string, object, object][] = [
    ['status', { status: 404 }, { status: 404, thrown: '' }],
    ['statusCode', { statusCode: 403 }, { status: 403, thrown: '' }],
    ['an exposed text', { status: 400, expose: true }, { status: 400, thrown: 'secret' }],
    ['exposed headers', { status: 401, expose: true, headers: { 'www-authenticate': 'Basic' } }, { status: 401, headers: { 'www-authenticate': 'Basic' }, thrown: 'secret' }],
    ['an exposed fault of the server', { status: 503, expose: true }, { status: 503, thrown: 'secret' }],
    ['headers that it does not expose', { status: 401, headers: { 'set-cookie': 'a' } }, { status: 401, thrown: '' }],
  ];
  for (const [what, members, answer] of honoured) {
    it(`may be of another package: ${what}`, async () => {
      expect(await (await throwing(foreign(members))).http('A')).to.deep.equal(answer);
    });
  }

  for (const members of [{ status: 500 }, { status: 503, expose: false }, { status: '404' }, { status: 302 }, { statusCode: 404.5 }, { code: 404 }]) {
    it(`is none with ${JSON.stringify(members)}`, async () => {
      expect(await (await throwing(foreign(members))).failure('A')).to.include({ code: 'unhandled_exception', message: 'secret' });
    });
  }

  it('is none when reading it throws', async () => {
    expect(await (await throwing({ get status() { throw new Error('trap'); } })).failure('A')).to.include({ code: 'unhandled_exception' });
  });
});
