import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, postJson } from '../raw-client.fixture.js';
import { SchemaCheck } from '@treadle/json';

const codesOf = (schema: object, value: unknown): string[] => (new SchemaCheck(schema, 'body').check(value, 0)?.issues ?? []).map(({ path, code }) => `${path} ${code}`);

describe('SchemaCheck', () => {
  const findings: readonly [object, unknown, string[]][] = [
    [{ type: 'object', required: ['a'] }, {}, ['a invalid_type']],
    [{ type: 'string' }, undefined, [' invalid_type']],
    [{ properties: { a: { properties: { b: { type: 'integer' } } } } }, { a: { b: 'x' } }, ['a.b invalid_type']],
    [{ items: { minimum: 3 } }, [3, 2], ['1 too_small']],
    [{ maxLength: 2 }, 'abc', [' too_big']],
    [{ format: 'email' }, 'x', [' invalid_format']],
    [{ enum: ['a'] }, 'b', [' invalid_value']],
    [{ multipleOf: 2 }, 3, [' not_multiple_of']],
    [{ additionalProperties: false }, { 'a/b~c': 1 }, ['a/b~c unrecognized_keys']],
    [{ properties: { 'a/b': { type: 'string' } } }, { 'a/b': 1 }, ['a/b invalid_type']],
    [{ not: {} }, 1, [' custom']],
  ];
  for (const [schema, value, expected] of findings) {
    it(`finds ${expected.join()} for ${JSON.stringify(schema)}`, () => {
      expect(codesOf(schema, value)).to.deep.equal(expected);
    });
  }

  it('finds all faults of a small value, at most 20, and the first of a large one', () => {
    const schema = { type: 'array', items: { type: 'string' } };
    const value = Array.from({ length: 50 }, (_, i) => i);
    expect(new SchemaCheck(schema, 'body').check(value, 200)?.issues).to.have.length(20);
    expect(new SchemaCheck(schema, 'body').check(value, 20_000)?.issues).to.have.length(1);
  });

  it('repeats no value', () => {
    const issues = new SchemaCheck({ properties: { a: { enum: ['x'] }, b: { pattern: '^y$' }, c: { const: 1 } } }, 'body').check({ a: 'secret', b: 'secret', c: 'secret' }, 0)?.issues;
    expect(issues).to.have.length(3);
    expect(JSON.stringify(issues)).to.not.contain('secret');
  });

  it('changes nothing in a body and adds no defaults', () => {
    const value = { a: '1' };
    expect(new SchemaCheck({ properties: { a: { type: 'integer' }, b: { default: 1 } } }, 'body').check(value, 0)?.issues).to.have.length(1);
    expect(value).to.deep.equal({ a: '1' });
  });

  const hostile: readonly [string, string][] = [
    ['email', `${'a'.repeat(50_000)}@`], ['email', `a@${'a.'.repeat(25_000)}`], ['email', `${'a.'.repeat(25_000)}@x`], ['uri', `http://${'a'.repeat(50_000)} `], ['uri', `a:${'%41'.repeat(16_000)}%`],
    ['date-time', `2020-01-01T00:00:00.${'0'.repeat(50_000)}x`], ['ipv6', `${':'.repeat(50_000)}`], ['ipv6', `${'1:'.repeat(25_000)}`],
    ['hostname', `${'a.'.repeat(25_000)}-`], ['uri-template', `${'{a}'.repeat(16_000)}{`], ['regex', `${'('.repeat(50_000)}`], ['json-pointer', `${'/~0'.repeat(16_000)}~`],
    ['uuid', 'a'.repeat(50_000)], ['duration', `P${'1Y'.repeat(25_000)}`], ['iri', 'x'.repeat(50_000)],
  ];
  for (const [format, value] of hostile) {
    it(`judges 50 KB of hostile ${format} quickly`, () => {
      const check = new SchemaCheck({ type: 'string', format }, 'body');
      check.check('x', 0);
      const began = process.cpuUsage();
      check.check(value, value.length);
      expect(process.cpuUsage(began).user, 'microseconds').to.be.below(200_000);
    });
  }
});

describe('Validation of requests', () => {
  let run: RunningModule;
  before(async () => {
    run = await runModule();
    const echo = (input: unknown): never => ({ status: 200, body: { kind: 'json', value: input } }) as never;
    run.hub.add({
      method: 'GET', path: '/search', querySchema: {
        type: 'object', required: ['page'], properties: {
          page: { type: 'integer', minimum: 1 }, tags: { type: 'array', items: { type: 'integer' } }, deep: { type: 'boolean' }, q: { type: 'string' }, limit: { type: 'integer', default: 10 },
        },
      },
    }, (input) => echo(input.query));
    run.hub.add({ method: 'GET', path: '/key', headersSchema: { type: 'object', properties: { 'X-Key': { minLength: 3 } }, required: ['X-Key'] } }, () => echo('in'));
    run.hub.add({ method: 'POST', path: '/tickets', bodySchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } }, (input) => echo(input.body));
  });
  after(() => run.stop());

  const queries: readonly [string, number, unknown][] = [
    ['page=2&tags=1&deep=true&q=5', 200, { page: 2, tags: [1], deep: true, q: '5' }],
    ['page=2&tags=1&tags=2', 200, { page: 2, tags: [1, 2] }],
    ['page=1&page=2&q=a&q=b', 200, { page: 2, q: 'b' }],
    ['page=2&other=x&other=y', 200, { page: 2, other: 'y' }],
    ['page=x', 400, 'page invalid_type'],
    ['page=', 400, 'page invalid_type'],
    ['page=0', 400, 'page too_small'],
    ['', 400, 'page invalid_type'],
    ['page=1&tags=x', 400, 'tags.0 invalid_type'],
    ['page=1&deep=maybe', 400, 'deep invalid_type'],
  ];
  for (const [query, status, expected] of queries) {
    it(`answers "?${query}" with ${status}`, async () => {
      const response = await call(`${run.url}/search?${query}`);
      expect(response.status).to.equal(status);
      if (status === 200) expect(response.json).to.deep.equal(expected);
      else expect((response.json['issues'] as { in: string; path: string; code: string }[]).map((issue) => `${issue.path} ${issue.code}`)).to.deep.equal([expected]);
    });
  }

  it('reads a query by the option of a union that fits', async () => {
    const option = (kind: string, n: object): object => ({ type: 'object', properties: { kind: { const: kind }, n }, required: ['kind', 'n'] });
    run.hub.add({
      method: 'GET', path: '/union', querySchema: { anyOf: [option('one', { type: 'integer' }), { $ref: '#/$defs/Many' }], $defs: { Many: option('many', { type: 'array', items: { type: 'integer' } }) } },
    }, (input) => ({ status: 200, body: { kind: 'json', value: input.query } }) as never);
    const answers = await Promise.all(['kind=one&n=1', 'kind=many&n=1', 'kind=many&n=1&n=2', 'kind=one&n=1&n=2'].map(async (query) => call(`${run.url}/union?${query}`)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 400]);
    expect(answers.slice(0, 3).map(({ json }) => json)).to.deep.equal([{ kind: 'one', n: 1 }, { kind: 'many', n: [1] }, { kind: 'many', n: [1, 2] }]);
  });

  it('judges headers whatever their case', async () => {
    expect((await call(`${run.url}/key`, { headers: { 'X-KEY': 'abc' } })).status).to.equal(200);
    expect((await call(`${run.url}/key`, { headers: { 'x-key': 'ab' } })).json['issues']).to.deep.equal([
      { in: 'headers', path: 'x-key', message: 'must NOT have fewer than 3 characters', code: 'too_small' },
    ]);
  });

  it('asks for a body where the schema does', async () => {
    expect((await postJson(`${run.url}/tickets`, { title: 'x' })).status).to.equal(200);
    expect((await call(`${run.url}/tickets`, { method: 'POST' })).json['issues']).to.deep.equal([
      { in: 'body', path: '', message: 'must be object', code: 'invalid_type' },
    ]);
  });

  it('judges a body that travels as a stream', async () => {
    expect((await postJson(`${run.url}/tickets`, { title: 1, more: 'x'.repeat(300_000) })).status).to.equal(400);
  });

  it('is not slowed down by a body full of faults', async () => {
    run.hub.add({ method: 'POST', path: '/list', bodySchema: { type: 'array', items: { type: 'string', anyOf: [{ const: 'a' }, { const: 'b' }] } } }, () => ({ status: 200 }));
    const began = process.cpuUsage();
    expect((await postJson(`${run.url}/list`, Array.from({ length: 300_000 }, () => 1))).status).to.equal(400);
    expect(process.cpuUsage(began).user, 'microseconds').to.be.below(2_000_000);
  });
});
