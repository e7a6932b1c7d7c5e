import { createRequire } from 'node:module';
import { slot, type ConfigSchema } from '@treadle/api';
import { expect } from 'chai';
import { ENGINE_SCHEMA, generateSchema } from './index.js';
import { CLASSES } from './pipeline.fixture.js';
import { EXTENSION_KEYWORDS } from './validation/keywords.js';

const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');

const compile = (schema: object): (value: unknown) => string[] => {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false, logger: false });
  ajv.addVocabulary([...EXTENSION_KEYWORDS]);
  const validate = ajv.compile(schema);
  const summaries = ['if', 'anyOf'];
  return (value) => (validate(value) ? [] : (validate.errors ?? [])
    .filter((error) => !summaries.includes(error.keyword) && !error.schemaPath.includes('anyOf/1'))
    .map((error) => `${error.instancePath} ${error.keyword}`));
};

describe('generateSchema', () => {
  const document = generateSchema(CLASSES, ENGINE_SCHEMA) as Record<string, object>;
  const faults = compile(document);
  const stream = (config: object, more: object = {}): object => ({ modules: [{ class: 'modules::stream::StreamModule', config, ...more }] });
  const kv = (config: object): object => ({ adapter: { class: 'modules::stream::adapters::KvStore', config } });

  it('is draft-07 and holds a definition for each class and slot', () => {
    expect(document['$schema']).to.equal('http://json-schema.org/draft-07/schema#');
    expect(Object.keys(document['definitions']!)).to.deep.equal([
      'module', 'slot-stream', 'modules::stream::StreamModule', 'modules::stream::adapters::KvStore',
    ]);
  });

  const accepted: readonly [string, object][] = [
    ['an empty file', {}],
    ['aliases of classes', { modules: [{ class: 'modules::old::Streams', config: { port: 1 } }] }],
    ['every key of an entry', stream({}, { name: 'a', enabled: false })],
    ['placeholders for any scalar', stream({
      port: '${P:1}', mode: '${M}', token: '${T}', size: '${S}', heartbeat_ms: '${H}', cors: { enabled: '${C}' }, origins: ['${O}'],
    }, { enabled: '${E}' })],
    ['adapters of a slot', stream(kv({ store_method: 'file_based', file_path: './x' }))],
    ['sections', { plugins: ['acme'], engine: { mode: 'development', drain_delay_ms: '${D}', root: '..' } }],
  ];
  for (const [name, value] of accepted) it(`accepts ${name}`, () => expect(faults(value)).to.deep.equal([]));

  const refused: readonly [string, object, readonly string[]][] = [
    ['unknown sections', { modul: [] }, [' additionalProperties']],
    ['unknown classes', { modules: [{ class: 'x' }] }, ['/modules/0/class enum']],
    ['adapters in the place of modules', { modules: [{ class: 'modules::stream::adapters::KvStore' }] }, ['/modules/0/class enum']],
    ['wrong values and unknown settings', stream({ port: 'abc', hosst: 1, mode: 'x' }),
      ['/modules/0/config additionalProperties', '/modules/0/config/port type', '/modules/0/config/mode enum']],
    ['placeholders with text around them for a number', stream({ port: '1${P}' }), ['/modules/0/config/port type']],
    ['unknown settings inside settings', stream({ cors: { on: true } }), ['/modules/0/config/cors additionalProperties']],
    ['settings of an adapter', stream(kv({ pth: 'x' })), ['/modules/0/config/adapter/config additionalProperties']],
    ['missing settings under a condition', stream(kv({ store_method: 'file_based' })), ['/modules/0/config/adapter/config required']],
    ['modules in the place of adapters', stream({ adapter: { class: 'modules::stream::StreamModule' } }), ['/modules/0/config/adapter/class enum']],
    ['unknown engine settings', { engine: { mod: 'x' } }, ['/engine additionalProperties']],
  ];
  for (const [name, value, expected] of refused) it(`refuses ${name}`, () => expect(faults(value)).to.deep.equal(expected));

  it('keeps descriptions and defaults where editors look, and says what is deprecated', () => {
    const definitions = document['definitions'] as unknown as Record<string, { description: string; properties: Record<string, object> }>;
    expect(definitions['modules::stream::StreamModule']?.description).to.equal('Streams. (@treadle/module-stream)');
    expect(definitions['modules::stream::StreamModule']?.properties['port']).to.include({ description: 'Where it listens. (default: STREAM_PORT of the environment, else 3112)', default: 3112 });
    expect(definitions['modules::stream::adapters::KvStore']?.properties['path'])
      .to.include({ description: 'Old name. Deprecated: since 1.2; use "file_path"' });
  });

  it('asks for slots that need an adapter, takes lists, and does not know slots without adapters', () => {
    const slots = { one: { slot: slot('stream') }, many: { slot: slot('runtime'), many: true, optional: true } };
    const check = compile(generateSchema([
      { id: 'a::b::C', aliases: [], kind: 'module', summary: 'C.', schema: {}, slots, package: 'acme' }, CLASSES[1]!,
    ], ENGINE_SCHEMA));
    expect(check({ modules: [{ class: 'a::b::C', config: { many: [{ class: 'x' }] } }] })).to.deep.equal(['/modules/0/config required']);
    expect(check({ modules: [{ class: 'a::b::C', config: { many: {}, one: 5 } }] })).to.deep.equal([
      '/modules/0/config/one type', '/modules/0/config/many type',
    ]);
  });

  it('works without any class', () => expect(compile(generateSchema([], ENGINE_SCHEMA))({ modules: [] })).to.deep.equal([]));

  it('keeps a map closed against the keys of its branches, and unions apart from placeholders', () => {
    const schema: ConfigSchema = {
      properties: { kind: { type: 'string' }, v: { oneOf: [{ const: 1 }, { type: 'boolean' }] }, open: { type: 'object', additionalProperties: { type: 'integer' } } },
      allOf: [{ if: { required: ['kind'] }, then: { properties: { x: { type: 'integer' } } }, else: { properties: { y: { type: 'boolean' } } } }],
    };
    const check = compile(generateSchema([{ id: 'a::b::C', aliases: [], kind: 'module', summary: 'C.', schema, package: 'acme' }], {}));
    const of = (config: object): string[] => check({ modules: [{ class: 'a::b::C', config }] });
    expect(of({ kind: 'k', x: '${X}', v: '${V}', open: { a: '${A}' } })).to.deep.equal([]);
    expect(of({ kind: 'k', z: 1 })).to.deep.equal(['/modules/0/config additionalProperties']);
    expect(of({ kind: 'k', x: 'a' })).to.deep.equal(['/modules/0/config/x type']);
    expect(of({ y: 'a' })).to.deep.equal(['/modules/0/config/y type']);
  });
});
