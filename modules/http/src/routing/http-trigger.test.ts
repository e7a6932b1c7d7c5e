import type { TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import { HTTP_TRIGGER_KIND, httpTriggerIssues, routeKey } from './http-trigger.js';

const trigger = (more: Record<string, unknown>): TriggerRecord => ({ type: 'http', method: 'GET', path: '/a', ...more });
const codes = (more: Record<string, unknown>): string[] => httpTriggerIssues(trigger(more)).map(({ code }) => code);

describe('The http trigger kind', () => {
  it('accepts what the helper makes', () => {
    expect(codes({ method: 'POST', bodySchema: { type: 'object' }, responseSchema: { 201: { type: 'object' } }, condition: true })).to.deep.equal([]);
  });

  const faults: readonly [string, Record<string, unknown>, string][] = [
    ['a bad route', { path: 'a' }, 'STEP_BAD_ROUTE'],
    ['a reserved route', { path: '/health' }, 'STEP_RESERVED_ROUTE'],
    ['a schema that does not compile', { method: 'POST', bodySchema: { type: 'strin' } }, 'STEP_BAD_SCHEMA'],
    ['a reference to nowhere', { querySchema: { $ref: '#/$defs/none' } }, 'STEP_BAD_SCHEMA'],
    ['a bad header schema', { headersSchema: { minLength: 'x' } }, 'STEP_BAD_SCHEMA'],
    ['a bad response schema', { responseSchema: { 200: { required: 1 } } }, 'STEP_BAD_SCHEMA'],
    ['a response status that is none', { responseSchema: { ok: {} } }, 'STEP_BAD_STATUS'],
    ['credentials for every origin', { cors: { allowedOrigins: ['*'], credentials: true } }, 'STEP_BAD_CORS'],
    ['raw bodies that fit into no message', { rawBody: true, bodyLimit: 9_000_000 }, 'STEP_BAD_LIMIT'],
  ];
  for (const [what, more, code] of faults) {
    it(`refuses ${what}`, () => {
      const [issue] = httpTriggerIssues(trigger(more));
      expect(issue).to.include({ code });
      expect(issue!.remedy).to.be.a('string').and.not.be.empty;
      expect(issue!.severity ?? 'error').to.equal('error');
    });
  }

  it('warns of a body schema on GET', () => {
    expect(httpTriggerIssues(trigger({ bodySchema: {} }))[0]).to.include({ code: 'STEP_BODY_ON_GET', severity: 'warning' });
  });

  it('takes schemas of another dialect', () => {
    expect(codes({ method: 'POST', bodySchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' } })).to.deep.equal([]);
  });

  it('takes two schemas with one $id', () => {
    expect(codes({ method: 'POST', bodySchema: { $id: 'https://schemas.example/a', type: 'object' }, querySchema: { $id: 'https://schemas.example/a', type: 'object' } })).to.deep.equal([]);
  });

  it('has one key for routes that differ in parameter names', () => {
    expect(routeKey(trigger({ path: '/a/:id' }))).to.equal(routeKey(trigger({ path: '/a/:name' })));
    expect(routeKey(trigger({ path: '/a/:id' }))).to.not.equal(routeKey(trigger({ path: '/a/:id', method: 'PUT' })));
    expect(routeKey(trigger({ path: 'a' }))).to.equal(undefined);
  });

  it('prints method and path', () => {
    expect(HTTP_TRIGGER_KIND.label?.(trigger({ path: '/a/:id' }))).to.equal('GET /a/:id');
  });

  it('describes every key', () => {
    for (const [key, schema] of Object.entries(HTTP_TRIGGER_KIND.schema.properties!)) expect(schema.description, key).to.be.a('string');
  });
});
