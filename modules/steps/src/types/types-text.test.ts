import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StepRecord, TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import ts from 'typescript';
import { schemaType } from './schema-type.js';
import { typesFile, writeTypes } from './types-file.js';
import { typesText } from './types-text.js';

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

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
  beforeEach(() => { root = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-types-'))); });
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

  it('types setups and variables by what their files export', async () => {
    for (const [file, text] of Object.entries({
      'steps/rate-limit.setup.ts': "import { setup } from 'treadle';\nexport default setup({ open: async ({ env }) => ({ perSecond: env.RATE }) });\n",
      'src/clock.setup.mts': 'export const open = () => new Date(0);\n',
      'steps/app.env.ts': "import { env } from 'treadle';\nexport default env({ properties: { RATE: { type: 'integer' } }, required: ['RATE'] });\n",
      'steps/use.ts': "import type { StepContext } from 'treadle';\nexport const use = ({ setup, env }: StepContext): readonly [number, Date, number] => [setup.rateLimit.perSecond, setup.clock, env.RATE];\n",
      'steps/wrong.ts': "import type { StepContext } from 'treadle';\nexport const wrong = ({ setup, env }: StepContext): unknown => [setup.rateLimit.second, setup.db, env.PORT];\n",
    })) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    await writeTypes(root, []);
    expect(readFileSync(join(root, typesFile(root)), 'utf8').split('\n').slice(1)).to.deep.equal([
      "import type { EnvOf, SetupOf } from 'treadle';", '', "declare module 'treadle' {",
      '  interface Setups {', "    clock: SetupOf<typeof import('../src/clock.setup.mjs')>;", "    rateLimit: SetupOf<typeof import('./rate-limit.setup.js')>;", '  }',
      '', "  interface Env extends EnvOf<typeof import('./app.env.js')> {}", '}', '',
    ]);
    symlinkSync(MODULES, join(root, 'node_modules'));
    const options = { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022 };
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    const program = ts.createProgram(['steps/use.ts', 'steps/wrong.ts', typesFile(root)].map((file) => join(root, file)), options);
    const found = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => `${relative(root, file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
    expect(found).to.deep.equal([
      "steps/wrong.ts: Property 'second' does not exist on type '{ perSecond: number; }'.", "steps/wrong.ts: Property 'db' does not exist on type 'Setups'.", "steps/wrong.ts: Property 'PORT' does not exist on type 'Env'.",
    ]);
  }).timeout(60_000);

  it('fails where it cannot write, and leaves nothing behind', async () => {
    writeFileSync(join(root, 'src'), 'a file');
    expect(await writeTypes(root, []).catch((error: NodeJS.ErrnoException) => error.code)).to.equal('ENOTDIR');
  });
});
