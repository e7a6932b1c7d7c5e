import { expect } from 'chai';
import { json, serve } from '../runner.fixture.js';

async function answer(value: unknown): Promise<unknown> {
  const made = await serve(() => value);
  return made.http('A');
}

async function refusal(value: unknown): Promise<string> {
  const made = await serve(() => value);
  const { code, message } = await made.failure('A');
  expect(code).to.equal('invalid_handler_result');
  return message;
}

describe('the result of an http handler', () => {
  it('is 204 when nothing is returned', async () => {
    for (const nothing of [undefined, null]) expect(await answer(nothing)).to.deep.equal({ status: 204 });
  });

  it('may have no body', async () => {
    expect(await answer({ status: 404 })).to.deep.equal({ status: 404 });
  });

  it('is JSON for any value without a content type, as it was when the handler answered', async () => {
    const counter = { n: 1 };
    const made = await serve(() => ({ status: 200, body: counter }));
    const result = await made.http('A');
    counter.n = 2;
    expect(json(result)).to.deep.equal({ n: 1 });
    for (const body of ['text', 7, false, null, [1], { a: { b: 1 } }]) {
      const one = await serve(() => ({ status: 200, body }));
      expect(json(await one.http('A'))).to.deep.equal(body);
    }
  });

  it('is sent as it is for a string with a content type and for bytes', async () => {
    const headers = { 'Content-Type': 'text/html' };
    expect(await answer({ status: 200, headers, body: '<p>' })).to.deep.equal({ status: 200, headers, body: { kind: 'text', value: '<p>' } });
    expect(await answer({ status: 200, body: Buffer.from('x') })).to.deep.equal({ status: 200, body: { kind: 'bytes', value: Buffer.from('x') } });
    expect(await answer({ status: 200, body: new Uint8Array([1]) })).to.deep.equal({ status: 200, body: { kind: 'bytes', value: Buffer.from([1]) } });
  });

  it('has headers of one or several values; numbers are written out', async () => {
    const headers = { 'x-count': 3, 'set-cookie': ['a=1', 'b=2'], 'x-none': undefined };
    expect(await answer({ status: 200, headers })).to.deep.equal({ status: 200, headers: { 'x-count': '3', 'set-cookie': ['a=1', 'b=2'] } });
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const bad: readonly [string, unknown, string][] = [
    ['a text', 'hello', 'a handler returns { status, body?, headers? }; this one returned a string'],
    ['an array', [1], 'a handler returns { status, body?, headers? }; this one returned an array'],
    ['an object without status', { statusCode: 200, body: {} }, 'a handler returns { status, body?, headers? }; this one returned { statusCode, body }'],
    ['a status that is no number', { status: '200' }, 'status must be an integer from 200 to 599; it is a string'],
    ['a status that is out of range', { status: 199 }, 'status must be an integer from 200 to 599; it is 199'],
    ['a broken status', { status: 200.5 }, 'status must be an integer from 200 to 599; it is 200.5'],
    ['a cycle', { status: 200, body: circular }, 'the body cannot be written as JSON: Converting circular structure to JSON'],
    ['a BigInt', { status: 200, body: { n: 1n } }, 'the body cannot be written as JSON: Do not know how to serialize a BigInt'],
    ['a function', { status: 200, body: () => 1 }, 'the body cannot be written as JSON: it is a function'],
    ['headers that are a list', { status: 200, headers: ['a'] }, 'headers must be an object'],
    ['a name that is none', { status: 200, headers: { 'a b': '1' } }, '"a b" is not a valid header name'],
    ['a header that is an object', { status: 200, headers: { a: {} } }, 'header "a" must be a string, a number or a list of them'],
    ['a line break in a header', { status: 200, headers: { a: 'x\r\nset-cookie: y' } }, 'header "a" has a character that headers cannot carry'],
    ['headers that no client takes', { status: 200, headers: { a: 'x'.repeat(65_536) } }, 'the headers have 65537 characters; at most 65536 are sent'],
    ['a character beyond Latin-1', { status: 200, headers: { a: '✓' } }, 'header "a" has a character that headers cannot carry'],
  ];
  for (const [what, value, message] of bad) {
    it(`is refused for ${what}`, async () => {
      expect(await refusal(value)).to.equal(message);
    });
  }

  it('is refused when reading it throws', async () => {
    const made = await serve(() => ({ get status() { throw new Error('trap'); } }));
    expect(await made.failure('A')).to.include({ code: 'unhandled_exception', message: 'trap' });
  });
});
