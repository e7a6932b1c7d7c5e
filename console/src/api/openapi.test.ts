import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { type ShopUnderTest, startShop } from '../application.fixture.js';
import type { Items } from '../contract/index.js';

const { operationsOf } = await import(new URL('../../scripts/operation-types.mjs', import.meta.url).href) as { operationsOf: (document: object) => string };
const OPERATIONS = new URL('../../app/src/api/operations.generated.ts', import.meta.url);
const DOCUMENTATION = new URL('../../../docs/admin-api.md', import.meta.url);

interface Content {
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: unknown;
}
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: Content; readonly responses: { readonly 200?: Content; readonly 204?: object } }>>>>;
}

/** Of a schema that anything fits, or an object of which a member is known by its name alone. */
function saysNothing(schema: Schema = {}): boolean {
  const { type, properties, additionalProperties } = schema;
  if (type === 'object' && !properties) return additionalProperties === undefined;
  return Object.keys(schema).length === 0 || Object.values(properties ?? {}).some((member) => Object.keys(member).length === 0);
}

describe('the description of the admin API', function () {
  this.timeout(90_000);
  let shop: ShopUnderTest;
  let routes: readonly { readonly method: string; readonly path: string }[];
  before(async () => {
    shop = await startShop();
    routes = (await shop.json<Items<{ method: string; path: string }>>('GET', '')).items;
  });
  after(() => shop?.stop());

  it('has every route of an engine with all modules as OpenAPI, each under a name of its own', async () => {
    const document = await shop.json<{ paths: Record<string, Record<string, { operationId: string }>> }>('GET', '/openapi.json');
    expect(await new Validator().validate(structuredClone(document))).to.deep.equal({ valid: true });
    const described = Object.entries(document.paths).flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
    expect(described).to.have.members(routes.map(({ method, path }) => `${method} ${path.split('/').map((part) => (part.startsWith(':') ? `{${part.slice(1)}}` : part)).join('/')}`));
    const ids = Object.values(document.paths).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId));
    expect(new Set(ids).size).to.equal(ids.length);
    expect(described.length).to.be.greaterThan(80);
  });

  it('says of every operation what it takes as its body and what it answers', async () => {
    const { paths } = await shop.json<Described>('GET', '/openapi.json');
    const operations = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, method, ...operation })));
    const holes = operations.flatMap(({ name, method, requestBody, responses: { 200: done, 204: nothing } }) => [
      ...(['post', 'put'].includes(method) && saysNothing(requestBody?.content['application/json']?.schema) ? [`${name}: body`] : []),
      ...nothing || done && !Object.values(done.content).some(({ schema }) => saysNothing(schema)) ? [] : [`${name}: answer`],
    ]);
    expect(holes).to.deep.equal([]);
    expect([{}, { type: 'object' }, { type: 'object', properties: { a: {} } }, undefined].map(saysNothing)).to.deep.equal([true, true, true, true]);
  });

  it('says where a revision is compared and where one is given, as it is', async () => {
    interface Operation {
      readonly parameters: readonly { readonly name: string; readonly in: string }[];
      readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: { readonly $ref?: string } } } };
      readonly responses: { readonly 200?: { readonly headers: Readonly<Record<string, object>> } };
    }
    const { paths, components } = await shop.json<{
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>; readonly components: { readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>> };
    }>('GET', '/openapi.json');
    const named = (fits: (operation: Operation) => boolean): readonly string[] => Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).filter(([, operation]) => fits(operation)).map(([method]) => `${method} ${path.slice('/api/v1'.length)}`));
    const key = '/state/groups/{group}/keys/{key}';
    const isConditional = ({ parameters }: Operation): boolean => parameters.some((one) => one.name === 'If-Match' && one.in === 'header');
    const demands = ({ requestBody }: Operation): readonly string[] => components.schemas[requestBody?.content['application/json'].schema.$ref?.split('/').at(-1) ?? '']?.required ?? [];
    expect(named((operation) => isConditional(operation) && demands(operation).includes('revision')), 'the header is instead of the member').to.deep.equal([]);
    expect(named(isConditional)).to.have.members([`put ${key}`, `put ${key}/expiry`, `post ${key}/restore`, 'put /streams/{stream}/groups/{group}/items/{id}']);
    expect(named(({ responses }) => responses[200]?.headers['ETag'] !== undefined)).to.have.members([`get ${key}`, `put ${key}`, `put ${key}/expiry`, `post ${key}/restore`, 'get /streams/{stream}/groups/{group}/items/{id}', 'put /streams/{stream}/groups/{group}/items/{id}']);
  });

  it("types the calls of the console's page, which are those of the document", async () => {
    const document = await shop.json<object>('GET', '/openapi.json');
    expect(readFileSync(OPERATIONS, 'utf8'), 'run "npm run console:api"').to.equal(operationsOf(document));
    expect(operationsOf({ paths: { '/api/v1/a/{id}': { put: {
      summary: 'Writes', parameters: [{ name: 'id', in: 'path' }, { name: 'X-Console', in: 'header' }],
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/StateWrite' } } } }, responses: { 200: { content: { 'application/json': { schema: {} } } } },
    } } } })).to.contain("import type {\n  StateWrite,\n}").and.contain("readonly 'PUT /a/{id}': { readonly path: 'id'; readonly query: never; readonly body: StateWrite; readonly answer: unknown };");
  });

  it('has every word of a route in the documentation', () => {
    const documentation = readFileSync(DOCUMENTATION, 'utf8');
    const unnamed = routes.filter(({ path }) => path.slice('/api/v1'.length).split('/').some((word) => word !== '' && !/^(?::|modules::)/.test(word) && !documentation.includes(`/${word}`)));
    expect(unnamed.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([]);
  });
});
