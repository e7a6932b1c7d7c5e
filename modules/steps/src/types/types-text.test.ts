import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepRecord, TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import { schemaType } from './schema-type.js';
import { typesFile, writeTypes } from './types-file.js';
import { typesText } from './types-text.js';

const record = (name: string, trigger: TriggerRecord, more: Partial<StepRecord> = {}): StepRecord =>
  ({ id: name, config: { name, triggers: [trigger] }, file: `steps/${name}.step.ts`, language: 'typescript', configHash: '', ...more });
const consumer = (name: string, topic: string, input?: unknown): StepRecord => record(name, { type: 'queue', topic, ...(input !== undefined && { input }) });

describe('schemaType', () => {
  const cases: readonly [unknown, string][] = [
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: 'a"b' }, '"a\\"b"'],
    [{ enum: ['a', 1, null, 'a'] }, '"a" | 1 | null'],
    [{ type: 'array', items: { type: ['string', 'number'] } }, 'readonly (string | number)[]'],
    [{ type: 'array', items: { type: 'array', items: { type: 'string' } } }, 'readonly (readonly string[])[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, 'readonly [string]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }] }, 'readonly [string, ...unknown[]]'],
    [{ type: 'object', required: ['id'], properties: { id: { type: 'string' }, 'due date': { type: 'number' } } }, "{ id: string; 'due date'?: number }"],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ properties: { a: true } }, '{ a?: unknown }'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, '{ a?: unknown } & { b?: unknown }'],
    [{ $ref: '#/$defs/A', $defs: { A: { type: 'boolean' } } }, 'boolean'],
    [{ type: 'object', properties: { next: { $ref: '#' } } }, '{ next?: { next?: unknown } }'],
    [{ type: 'object', properties: { "it's": { type: 'string' }, __proto__x: {} } }, "{ 'it\\'s'?: string; __proto__x?: unknown }"],
    [false, 'never'], [true, 'unknown'], [{}, 'unknown'], [{ $ref: 'https://elsewhere.example' }, 'unknown'], [{ type: 'nonsense' }, 'unknown'],
  ];
  for (const [schema, type] of cases) it(`of ${JSON.stringify(schema)} is ${type}`, () => expect(schemaType(schema)).to.equal(type));
});

describe('typesText', () => {
  const id = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };

  it('types topics by their consumers and streams by their declarations, sorted', () => {
    const stream = record('stream:board', { type: 'stream.declaration', streamName: 'board', schema: id }, { role: 'stream' });
    const title = { type: 'object', properties: { title: { type: 'string' } } };
    const records = [consumer('B', 'z.last', id), consumer('A', 'a-first', id), consumer('C', 'a-first', title), consumer('D', 'a-first', id), stream, consumer('E', 'open')];
    const text = typesText(records);
    expect(text).to.equal(`// Written by "treadle generate types", kept up to date by "treadle dev": do not edit.
import 'treadle';

declare module 'treadle' {
  interface Topics {
    'a-first': { id: string } & { title?: string };
    'z.last': { id: string };
  }

  interface Streams {
    board: { id: string };
  }
}
`);
    expect(typesText([...records])).to.equal(text);
  });

  it('is valid without anything to type', () => {
    expect(typesText([])).to.include("declare module 'treadle' {\n}\n");
  });
});

describe('writeTypes', () => {
  let root: string;
  beforeEach(() => { root = mkdtempSync(join(tmpdir(), 'treadle-types-')); });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('writes beside the Steps and leaves an unchanged file alone', async () => {
    mkdirSync(join(root, 'src'));
    expect(typesFile(root)).to.equal('src/treadle-types.d.ts');
    mkdirSync(join(root, 'steps'));
    const file = join(root, typesFile(root));
    expect(await writeTypes(root, [])).to.equal(true);
    const before = statSync(file);
    expect(await writeTypes(root, [])).to.equal(false);
    expect(statSync(file)).to.include({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(await writeTypes(root, [consumer('A', 't', { type: 'string' })])).to.equal(true);
    expect(readFileSync(file, 'utf8')).to.include('    t: string;');
    expect(readdirSync(join(root, 'steps'))).to.deep.equal(['treadle-types.d.ts']);
  });

  it('fails where it cannot write, and leaves nothing behind', async () => {
    writeFileSync(join(root, 'src'), 'a file');
    expect(await writeTypes(root, []).catch((error: NodeJS.ErrnoException) => error.code)).to.equal('ENOTDIR');
  });
});
