import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, type ClientResponse } from '../raw-client.fixture.js';

const LARGE = 70_000;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const pad = 'x'.repeat(LARGE);

describe('Large bodies', () => {
  let run: RunningModule;
  /** Lengths of what was parsed in this process. */
  let parsed: number[] = [];
  const { parse } = JSON;

  before(async () => {
    run = await runModule();
    const bodySchema = { type: 'object', properties: { n: { type: 'string', pattern: '^[0-9]$' } }, required: ['n'] };
    run.hub.add({ method: 'POST', path: '/checked', bodySchema }, ({ body }) => ({ status: 200, body: { kind: 'json', value: body } }) as never);
    run.hub.add({ method: 'POST', path: '/text', bodySchema: { type: 'string', pattern: '^x+$' } }, ({ body }) => ({ status: 200, body: { kind: 'json', value: body } }) as never);
    run.hub.add({ method: 'POST', path: '/any' }, ({ body }) => ({ status: 200, body: { kind: 'json', value: body } }) as never);
    run.hub.add({ method: 'POST', path: '/guarded', bodySchema, middleware: 1 }, ({ body, refused }) => ({ status: 200, body: { kind: 'json', value: { body, refused } } }) as never);
    JSON.parse = (text: string, ...more: never[]): unknown => {
      parsed.push(text.length);
      return parse(text, ...more) as unknown;
    };
  });
  beforeEach(() => void (parsed = []));
  // Whatever their length does to a parser or a pattern, it is not done where everybody else waits.
  afterEach(() => expect(Math.max(0, ...parsed)).to.be.below(LARGE));
  after(async () => {
    JSON.parse = parse;
    await run.stop();
  });

  const send = (path: string, type: string, body: string | Buffer, more: Record<string, string> = {}): Promise<ClientResponse> =>
    call(run.url + path, { method: 'POST', headers: { 'content-type': type, 'content-length': Buffer.byteLength(body), ...more }, body });
  const stream = (as: string): object => ({ kind: 'stream', stream: 0, as });

  const taken: readonly [string, string, string, string, string][] = [
    ['JSON', '/checked', JSON_TYPE, JSON.stringify({ n: '1', pad }), 'json'],
    ['JSON without a schema', '/any', JSON_TYPE, JSON.stringify({ pad }), 'json'],
    ['a form', '/checked', FORM_TYPE, `n=1&pad=${pad}`, 'json'],
    ['a form without a schema', '/any', FORM_TYPE, `n=1&pad=${pad}&__proto__=1`, 'json'],
    ['text', '/text', 'text/plain', pad, 'text'],
    ['text without a schema', '/any', 'text/plain', pad, 'text'],
  ];
  for (const [what, path, type, body, as] of taken) {
    it(`takes ${what}`, async () => {
      expect((await send(path, type, body)).json).to.deep.equal(stream(as));
    });
  }

  const refused: readonly [string, string, string, string | Buffer, string, string][] = [
    ['JSON that does not fit', '/checked', JSON_TYPE, JSON.stringify({ n: 'x', pad }), 'validation_failed', 'n'],
    ['a form that does not fit', '/checked', FORM_TYPE, `n=x&pad=${pad}`, 'validation_failed', 'n'],
    ['text that does not fit', '/text', 'text/plain', `${pad}y`, 'validation_failed', ''],
    ['what is no JSON', '/any', JSON_TYPE, `${pad}{`, 'invalid_json', 'The body is not valid JSON'],
    ['a key that is dangerous', '/any', JSON_TYPE, `{"__proto__":1,"pad":"${pad}"}`, 'invalid_json', 'Refused: the body has a key "__proto__"'],
    ['bad UTF-8', '/any', JSON_TYPE, Buffer.concat([Buffer.from([0x22, 0xff]), Buffer.from(`${pad}"`)]), 'invalid_json', 'The body is not valid UTF-8'],
  ];
  for (const [what, path, type, body, code, detail] of refused) {
    it(`refuses ${what}`, async () => {
      const { status, json } = await send(path, type, body);
      expect([status, json['code']]).to.deep.equal([400, code]);
      if (code === 'invalid_json') expect(json['error']).to.equal(detail);
      else expect((json['issues'] as { path: string }[]).map((issue) => issue.path)).to.deep.equal([detail]);
    });
  }

  it('lets middleware go first', async () => {
    const { json } = await send('/guarded', JSON_TYPE, JSON.stringify({ pad }));
    expect(json).to.have.nested.property('refused.code', 'validation_failed');
    expect((await send('/guarded', JSON_TYPE, `[${pad}`)).json).to.have.nested.property('refused.code', 'invalid_json');
  });

  it('answers many at the same time, each its own', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => send('/checked', JSON_TYPE, JSON.stringify({ n: index % 2 === 0 ? '1' : 'x', pad }))));
    expect(all.map(({ status }) => status)).to.deep.equal(all.map((_, index) => (index % 2 === 0 ? 200 : 400)));
  });
});
