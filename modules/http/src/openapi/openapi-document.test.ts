import { Validator } from '@seriousme/openapi-schema-validator';
import type { GuardFacts, StepRecord, TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import { openApiDocument } from './openapi-document.js';

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { readonly schema?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string; readonly content?: Readonly<Record<string, { schema: unknown }>> }>>;
}

function step(name: string, triggers: readonly object[], more: object = {}): StepRecord {
  const records = triggers.map((trigger) => ({ type: 'http', ...trigger }) as TriggerRecord);
  return { id: name, config: { name, triggers: records, ...more }, file: `steps/${name}.step.ts`, language: 'typescript', configHash: '' };
}

async function describeSteps(...steps: readonly StepRecord[]): Promise<{ readonly paths: Record<string, Record<string, Operation>>; readonly schemas: Record<string, unknown> }> {
  const document = openApiDocument({ title: 'shop', version: '1.2.3', steps });
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  expect(valid, JSON.stringify(errors)).to.equal(true);
  return { paths: document.paths as never, schemas: document.components['schemas'] as never };
}

const TICKET = { type: 'object', required: ['title'], properties: { title: { type: 'string' } } };
const ERROR = { type: 'object', required: ['error'], properties: { error: { type: 'string' } } };

describe('the OpenAPI document', () => {
  it('describes a Step with all that it declares', async () => {
    const create = step('CreateTicket', [{
      method: 'POST', path: '/tickets', bodySchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...TICKET },
      querySchema: { type: 'object', required: ['notify'], properties: { notify: { type: 'boolean', description: 'Tell somebody' }, tag: { type: 'array', items: { type: 'string' } } } },
      headersSchema: { type: 'object', required: ['X-Tenant'], properties: { 'X-Tenant': { type: 'string' } } },
      responseSchema: { 201: TICKET, 204: {}, 400: ERROR, 599: ERROR },
    }], { description: 'Opens a ticket', flows: ['tickets', 'support'] });
    const { paths } = await describeSteps(create);
    const made = paths['/tickets']!['post']!;
    expect(made).to.include({ operationId: 'CreateTicket', summary: 'Opens a ticket', description: 'Opens a ticket' });
    expect(made.tags).to.deep.equal(['tickets', 'support']);
    expect(made.parameters).to.deep.equal([
      { name: 'notify', in: 'query', required: true, description: 'Tell somebody', schema: { type: 'boolean', description: 'Tell somebody' } },
      { name: 'tag', in: 'query', required: false, schema: { type: 'array', items: { type: 'string' } } },
      { name: 'x-tenant', in: 'header', required: true, schema: { type: 'string' } },
    ]);
    expect(made.requestBody).to.deep.equal({ required: true, content: { 'application/json': { schema: TICKET } } });
    expect(Object.keys(made.responses)).to.deep.equal(['201', '204', '400', '408', '413', '415', '500', '502', '503', '504', '599']);
    expect(made.responses['201']!.content!['application/json']!.schema).to.deep.equal(TICKET);
    expect(made.responses['204']).to.not.have.property('content');
    expect(made.responses['400']!.content!['application/json']!.schema).to.deep.equal({ anyOf: [ERROR, { $ref: '#/components/schemas/Problem' }] });
    expect(made.responses['413']).to.deep.equal({ $ref: '#/components/responses/BodyTooLarge' });
    expect(made.responses['599']!.description).to.equal('Declared by the Step.');
  });

  it('says what the application is: its licence where it names one, a tag for each flow', () => {
    const steps = [step('A', [{ method: 'GET', path: '/a' }], { flows: ['orders'] })];
    const { info, tags } = openApiDocument({ title: 'shop', version: '1.2.3', license: 'MIT', steps });
    expect(info).to.deep.equal({ title: 'shop', version: '1.2.3', license: { name: 'MIT', identifier: 'MIT' } });
    expect(tags).to.deep.equal([{ name: 'orders', description: 'Routes of the flow "orders"' }]);
    expect(openApiDocument({ title: 'shop', version: '1.2.3', steps }).info).to.not.have.property('license');
  });

  it('says what the engine answers only where it can: no body, no condition, no declared success', async () => {
    const { paths } = await describeSteps(step('A', [{ method: 'GET', path: '/a' }]), step('B', [{ method: 'DELETE', path: '/b', condition: true, responseSchema: { 204: {} } }]));
    expect(Object.keys(paths['/a']!['get']!.responses)).to.deep.equal(['400', '500', '502', '503', '504', 'default']);
    expect(Object.keys(paths['/b']!['delete']!.responses)).to.deep.equal(['204', '400', '422', '500', '502', '503', '504']);
  });

  it('writes path parameters, and calls those of one path alike', async () => {
    const { paths } = await describeSteps(
      step('Get', [{ method: 'GET', path: '/t/:id' }]), step('Put', [{ method: 'PUT', path: '/t/:ticket' }]), step('Files', [{ method: 'GET', path: '/files/*rest' }]));
    expect(Object.keys(paths)).to.deep.equal(['/files/{rest}', '/t/{id}']);
    expect(paths['/t/{id}']!['put']!.parameters).to.deep.equal(
      [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 }, description: 'The Step calls it "ticket".' }]);
    expect(paths['/files/{rest}']!['get']!.parameters![0]!['description']).to.equal('The rest of the path; may contain "/".');
  });

  it('keeps all methods of a path with one parameter and of what lies below it', async () => {
    const { paths } = await describeSteps(
      step('List', [{ method: 'GET', path: '/files/*path' }, { method: 'PUT', path: '/files/*path' }]), step('Get', [{ method: 'GET', path: '/files/:id' }], { description: 'One file' }));
    expect(Object.keys(paths)).to.deep.equal(['/files/{id}']);
    const { get, put } = paths['/files/{id}'] as Record<string, Operation & { readonly description?: string }>;
    expect([get!.operationId, get!.description]).to.deep.equal(['Get', 'One file\n\nPaths with more segments, and the empty one, are answered by "List", GET /files/*path.']);
    expect(put!.operationId).to.equal('List_2');
    expect(put!.parameters).to.deep.equal(
      [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 }, description: 'The rest of the path; may contain "/". The Step calls it "path".' }]);
  });

  it('keeps a part that is called Problem beside the errors of the engine', async () => {
    const own = { type: 'string' };
    const { paths, schemas } = await describeSteps(step('A', [{ method: 'POST', path: '/a', bodySchema: { $ref: '#/$defs/Problem', $defs: { Problem: own } } }]));
    expect(schemas['Problem']).to.have.property('required').that.includes('traceId');
    expect(paths['/a']!['post']!.requestBody!.content['application/json']!.schema).to.deep.equal({ $ref: '#/components/schemas/A.body.Problem' });
    expect(schemas['A.body.Problem']).to.deep.equal(own);
  });

  it('follows references among headers, which are in lower case', async () => {
    const headersSchema = { type: 'object', properties: { 'X-A': { type: 'string' }, 'X-B': { $ref: '#/properties/X-A' } } };
    const { paths, schemas } = await describeSteps(step('A', [{ method: 'GET', path: '/a', headersSchema }]));
    expect(paths['/a']!['get']!.parameters!.map(({ name, schema }) => [name, schema])).to.deep.equal(
      [['x-a', { type: 'string' }], ['x-b', { $ref: '#/components/schemas/A.header/properties/x-a' }]]);
    expect(schemas['A.header']).to.have.nested.property('properties.x-a');
  });

  it('numbers the further routes of a Step, past the names of others', async () => {
    const { paths } = await describeSteps(
      step('A', [{ method: 'GET', path: '/1' }, { method: 'GET', path: '/2' }, { method: 'GET', path: '/3' }]), step('A_2', [{ method: 'GET', path: '/4' }]));
    expect(Object.values(paths).map(({ get }) => get!.operationId)).to.deep.equal(['A', 'A_3', 'A_4', 'A_2']);
  });

  it('keeps schemas that refer to themselves whole', async () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } }, kind: { $ref: '#/$defs/Kind' } }, $defs: { Kind: { enum: ['a'] } } };
    const query = { type: 'object', properties: { kind: { $ref: '#/$defs/Kind' } }, $defs: { Kind: { enum: ['a'] } } };
    const { paths, schemas } = await describeSteps(
      step('My tree', [{ method: 'POST', path: '/tree', bodySchema: tree, querySchema: query }]));
    const { requestBody, parameters } = paths['/tree']!['post']!;
    expect(requestBody!.content['application/json']!.schema).to.deep.equal({ $ref: '#/components/schemas/My_tree.body' });
    expect(schemas['My_tree.body']).to.deep.equal({
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/components/schemas/My_tree.body' } }, kind: { $ref: '#/components/schemas/Kind' } },
    });
    expect(parameters![0]).to.deep.include({ name: 'kind', schema: { $ref: '#/components/schemas/Kind' } });
    expect(schemas['Kind']).to.deep.equal({ enum: ['a'] });
  });

  it('keeps the named parts of schemas under their names, each once, and follows references among them', async () => {
    const card = { type: 'object', required: ['kind'], properties: { kind: { const: 'card' }, owner: { $ref: '#/$defs/Owner' } } };
    const bank = { type: 'object', required: ['kind'], properties: { kind: { const: 'bank' } } };
    const payment = {
      'x-treadle-library': 'pydantic', $defs: { Card: card, Bank: bank, Owner: { type: 'string', 'x-treadle-lax': ['format'] }, Unused: { type: 'null' } },
      oneOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Bank' }], discriminator: { propertyName: 'kind', mapping: { card: '#/$defs/Card', bank: '#/$defs/Bank' } },
    };
    const other = { type: 'object', properties: { a: { $ref: '#/$defs/Card' }, tree: { $ref: '#/$defs/__schema0' } }, $defs: { Card: { type: 'string' }, __schema0: { items: { $ref: '#/$defs/__schema0' } } } };
    const { paths, schemas } = await describeSteps(
      step('Pay', [{ method: 'POST', path: '/a', bodySchema: payment, responseSchema: { 200: payment } }]), step('Tell', [{ method: 'POST', path: '/b', bodySchema: other }]));
    const at = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    expect(paths['/a']!['post']!.requestBody!.content['application/json']!.schema).to.deep.equal({
      oneOf: [at('Card'), at('Bank')], discriminator: { propertyName: 'kind', mapping: { card: '#/components/schemas/Card', bank: '#/components/schemas/Bank' } },
    });
    expect(Object.keys(schemas)).to.deep.equal(['Problem', 'Card', 'Bank', 'Owner', 'Tell.body.Card', 'Tell.body.__schema0']);
    expect(schemas['Card']).to.deep.equal({ ...card, properties: { ...card.properties, owner: at('Owner') } });
    expect(schemas['Owner']).to.deep.equal({ type: 'string' });
    expect(schemas['Tell.body.__schema0']).to.deep.equal({ items: at('Tell.body.__schema0') });
    for (const [, reference] of JSON.stringify({ paths, schemas }).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) expect(schemas).to.have.property(reference!);
  });

  it('names the credentials that guards ask for, and the 401 of those that insist', async () => {
    const key = { type: 'apiKey', in: 'header', name: 'x-api-key' } as const;
    const query = { type: 'apiKey', in: 'query', name: 'key' } as const;
    const jwt = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } as const;
    const guarded = (name: string, ...guards: GuardFacts[]): StepRecord => ({
      ...step(name, [{ type: 'queue', topic: 't' }, { method: 'GET', path: `/${name}`, responseSchema: name === 'declared' ? { 200: {}, 401: ERROR } : { 200: {} } }]), guards: [[], guards],
    });
    const steps = [
      guarded('open'), guarded('key', { schemes: [key, query] }), guarded('both', { schemes: [key] }, { schemes: [jwt] }, { schemes: [key] }),
      guarded('perhaps', { schemes: [jwt], optional: true }), guarded('again', { schemes: [jwt], optional: true }, { schemes: [jwt] }),
      guarded('silent', { schemes: [] }), guarded('declared', { schemes: [jwt] }), guarded('odd', { schemes: [{ type: 'apiKey', in: 'header', name: 'x|y' }, { type: 'apiKey', in: 'header', name: 'x_y' }] }),
    ];
    const { paths } = await describeSteps(...steps);
    const of = (name: string): Operation => paths[`/${name}`]!['get']!;
    const needs = Object.fromEntries(steps.map(({ id }) => [id, of(id).security]));
    const [header, bearer] = [{ 'header.x-api-key': [] }, { 'bearer.JWT': [] }];
    expect(needs).to.deep.equal({
      open: undefined, key: [header, { 'query.key': [] }], both: [{ ...header, ...bearer }], perhaps: [bearer, {}], again: [bearer], silent: undefined, declared: [bearer],
      odd: [{ 'header.x_y': [] }, { 'header.x_y_2': [] }],
    });
    expect(openApiDocument({ title: 'shop', version: '1', steps }).components['securitySchemes']).to.deep.include({ 'header.x-api-key': key, 'query.key': query, 'bearer.JWT': jwt });
    expect(steps.filter(({ id }) => '401' in of(id).responses).map(({ id }) => id)).to.deep.equal(['key', 'both', 'again', 'silent', 'declared', 'odd']);
    expect(of('key').responses['401']).to.deep.equal({ $ref: '#/components/responses/Unauthorized' });
    expect(of('declared').responses['401']!.content!['application/json']!.schema).to.deep.equal({ anyOf: [ERROR, { $ref: '#/components/schemas/Problem' }] });
  });

  it('names operations so that generators can, whatever a Step adds behind them', async () => {
    const { paths } = await describeSteps(step('My step/1', [{ method: 'GET', path: '/z' }, { method: 'GET', path: '/a' }]));
    expect([paths['/z']!['get']!.operationId, paths['/a']!['get']!.operationId]).to.deep.equal(['My_step_1', 'My_step_1_2']);
  });

  it('describes a query whose members are not listed as one free-form object', async () => {
    const either = { anyOf: [{ type: 'object', required: ['a'] }, { type: 'object', required: ['b'] }] };
    const { paths } = await describeSteps(step('A', [{ method: 'GET', path: '/', querySchema: either, headersSchema: either }]));
    expect(paths['/']!['get']!.parameters).to.deep.equal([{ name: 'query', in: 'query', style: 'form', explode: true, schema: either }]);
  });

  it('tells raw and undescribed bodies apart', async () => {
    const { paths } = await describeSteps(step('A', [{ method: 'PUT', path: '/raw', rawBody: true }]), step('B', [{ method: 'PATCH', path: '/any' }]));
    expect(paths['/raw']!['put']!.requestBody!.content).to.have.keys('application/octet-stream');
    expect(paths['/any']!['patch']!.requestBody).to.deep.include({ required: false, content: { '*/*': {} } });
  });

  it('describes bytes as such, and what a schema says nothing of as anything', async () => {
    const binary = { type: 'string', format: 'binary' };
    const { paths } = await describeSteps(
      step('A', [{ method: 'PUT', path: '/bytes', bodySchema: binary, responseSchema: { 200: binary, 400: binary } }]),
      step('B', [{ method: 'PUT', path: '/open', bodySchema: { description: 'A file' }, responseSchema: { 200: {} } }]));
    const { requestBody, responses } = paths['/bytes']!['put']!;
    const problem = { schema: { $ref: '#/components/schemas/Problem' } };
    expect(requestBody).to.deep.equal({ required: true, content: { 'application/octet-stream': {} } });
    expect(responses['200']!.content).to.deep.equal({ 'application/octet-stream': {} });
    expect(responses['400']!.content).to.deep.equal({ 'application/octet-stream': {}, 'application/json': problem });
    expect(paths['/open']!['put']!.requestBody!.content).to.deep.equal({ '*/*': { schema: { description: 'A file' } } });
    expect(paths['/open']!['put']!.responses['200']!.content).to.deep.equal({ '*/*': { schema: {} } });
  });

  it('has what linters ask for: a server, a summary in one line, and no component that nobody refers to', async () => {
    const steps = [step('Plain', [{ method: 'GET', path: '/a' }]), step('Long', [{ method: 'GET', path: '/b' }], { description: `${'x'.repeat(200)}\nmore` })];
    await describeSteps(...steps);
    const document = openApiDocument({ title: 'shop', version: '1', steps });
    const { paths, components, servers } = document;
    expect(servers).to.deep.equal([{ url: '/' }]);
    expect(document).not.to.have.property('security');
    expect(components).to.not.have.property('securitySchemes');
    expect(paths['/a']!['get']).to.not.have.property('security');
    expect([paths['/a']!['get'], paths['/b']!['get']].map((each) => (each as unknown as { summary: string }).summary)).to.deep.equal(['Plain', `${'x'.repeat(119)}…`]);
    expect(Object.keys(components['responses'] ?? {})).to.deep.equal(['BadRequest', 'InternalError', 'WorkerLost', 'Unavailable', 'HandlerTimeout']);
  });

  it('gives an example where a pattern says what fits, for servers that make answers up', async () => {
    const steps = [step('A', [{ method: 'GET', path: '/a' }])];
    await describeSteps(...steps);
    const text = JSON.stringify(openApiDocument({ title: 'shop', version: '1', steps }));
    const found = [...text.matchAll(/"pattern":"(\^[^"]*\$)"(?:,"example":"([^"]*)")?/g)];
    expect(found).to.have.length.above(1);
    for (const [, pattern = '', example = ''] of found) expect(example).to.match(new RegExp(pattern));
  });

  it('leaves out other triggers and declarations of streams; an application without routes has a valid document', async () => {
    const queue = step('Q', [{ type: 'queue', topic: 't' }]);
    const stream: StepRecord = { ...step('stream:x', []), role: 'stream' };
    expect((await describeSteps(queue, stream)).paths).to.deep.equal({});
  });
});
