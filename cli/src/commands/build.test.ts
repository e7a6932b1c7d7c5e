import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BuildReport } from '../../dist/build/build-report.js';
import { addFiles, makeApp, removeApp, runCli } from '../cli.fixture.js';

const CONFIG = 'modules:\n  - class: modules::http::HttpModule\n    config: { port: 0 }\n';
/** No `type`: what is JavaScript is told by its content. */
const MANIFEST = '{ "name": "shop", "dependencies": { "treadle": "*", "zod": "*" } }';
const FILES = {
  'config.yaml': CONFIG,
  'package.json': MANIFEST,
  'steps/order.step.ts': `import { http, step, topic } from 'treadle';
import { z } from 'zod';
import { counted } from '../src/shared';
export const placed = topic('order.placed', z.object({ id: z.string() }));
export default step({ name: 'Order', triggers: [http('POST', '/orders', { bodySchema: z.object({ id: z.string() }) })], enqueues: [placed] },
  async ({ body }) => ({ status: 200, body: { id: body.id, n: counted() } }));
`,
  'src/shared.ts': 'let n = 0;\nexport function counted(): number { return ++n; }\n',
  'src/orders/ship.step.js': `import { counted } from '../shared.js';
export const config = { name: 'Ship', triggers: [{ type: 'queue', topic: 'order.placed' }] };
export const handler = async () => { counted(); };
`,
  'steps/legacy.step.cjs': `const { z } = require('zod');
module.exports = { config: { name: 'Legacy', triggers: [{ type: 'http', method: 'GET', path: '/legacy', querySchema: z.object({ n: z.string() }) }] },
  handler: async () => ({ status: 204 }) };
`,
  'steps/board.stream.ts': "import { z } from 'zod';\nexport const config = { name: 'board', schema: z.object({ n: z.number() }) };\n",
  'steps/access.stream-auth.ts': 'export const authenticate = async () => ({ user: 1 });\n',
};

describe('treadle build', function () {
  this.timeout(120_000);
  const folders: string[] = [];
  const app = (files: Readonly<Record<string, string>> = {}): string => {
    const folder = makeApp({ ...FILES, ...files });
    folders.push(folder);
    return folder;
  };
  afterEach(() => { for (const folder of folders.splice(0)) removeApp(folder); });

  async function build(folder: string): Promise<BuildReport> {
    const { code, stdout, stderr } = await runCli(['build', '--json'], { cwd: folder });
    expect(code, stdout + stderr).to.equal(0);
    return JSON.parse(stdout) as BuildReport;
  }

  it('builds Steps of which one imports a JSON file with an attribute and another without', async () => {
    const reading = (name: string, attributes: string): string => `import data from '../src/data.json'${attributes};
export const config = { name: '${name}', triggers: [{ type: 'http', method: 'GET', path: '/${name}' }] };
export const handler = async () => ({ status: 200, body: data });
`;
    const folder = app({
      'src/data.json': '{ "a": 1 }', 'steps/with.step.ts': reading('With', " with { type: 'json' }"), 'steps/without.step.ts': reading('Without', ''),
    });
    expect((await build(folder)).files).to.include.members(['steps/with.step.mjs', 'steps/without.step.mjs']);
    const lock = JSON.parse(readFileSync(join(folder, 'treadle.lock.json'), 'utf8')) as Lock;
    expect(Object.keys(lock.sources)).to.include('src/data.json');
  });

  it('writes the Step process, one module for each Step, what they share once, and the lock file', async () => {
    const folder = app();
    const report = await build(folder);
    expect(report).to.deep.include({ exitCode: 0, name: 'shop', steps: 3, streams: 2, runtimes: { node: '>=18.0.0' }, diagnostics: [] });
    expect(Object.keys(report.packages ?? {})).to.deep.equal(['treadle', 'zod']);
    expect(report.files).to.include.members(['index-production.js', 'worker/main.js', 'steps/order.step.mjs', 'steps/legacy.step.mjs',
      'src/orders/ship.step.mjs', 'steps/board.stream.mjs', 'steps/access.stream-auth.mjs', 'steps/order.step.mjs.map']);
    const code = (report.files ?? []).filter((file) => /^(?:steps|src|chunks)\/.*\.mjs$/.test(file));
    expect(code.filter((file) => readFileSync(join(folder, 'dist', file), 'utf8').includes('++n'))).to.have.lengthOf(1);
    const lock = JSON.parse(readFileSync(join(folder, 'treadle.lock.json'), 'utf8')) as Lock;
    expect(lock.steps.map(({ name, file, line, runtime, module }) => [name, file, line, runtime, module])).to.deep.equal([
      ['Ship', 'src/orders/ship.step.js', 2, 'node', 'src/orders/ship.step.mjs'],
      ['Legacy', 'steps/legacy.step.cjs', 2, 'node', 'steps/legacy.step.mjs'],
      ['Order', 'steps/order.step.ts', 5, 'node', 'steps/order.step.mjs'],
    ]);
    expect(lock.topics).to.deep.equal({ 'order.placed': { enqueues: ['Order'], consumes: ['Ship'] } });
    expect(lock.steps[2]?.config.triggers[0]?.bodySchema).to.deep.include({ type: 'object', required: ['id'] });
    expect(Object.keys(lock.sources)).to.include.members(['src/shared.ts', 'steps/order.step.ts']);
    for (const [file, hash] of Object.entries(lock.files)) {
      const content = readFileSync(join(folder, 'dist', file));
      expect(createHash('sha256').update(content).digest('hex').slice(0, 32), file).to.equal(hash);
    }
    expect(readFileSync(join(folder, 'dist/treadle.lock.json'), 'utf8')).to.equal(readFileSync(join(folder, 'treadle.lock.json'), 'utf8'));
  });

  it('makes the same build of the same sources, byte for byte, wherever they are; another one of others', async () => {
    const [first, second] = [app(), app()];
    const [one, two] = [await build(first), await build(second)];
    expect(one.build).to.be.a('string').and.equal(two.build);
    expect(contents(join(first, 'dist'))).to.deep.equal(contents(join(second, 'dist')));
    addFiles(second, { 'src/shared.ts': 'let n = 1;\nexport function counted(): number { return ++n; }\n' });
    expect((await build(second)).build).to.not.equal(one.build);
    addFiles(second, { 'src/shared.ts': FILES['src/shared.ts'] });
    expect((await build(second)).build).to.equal(one.build);
    expect(contents(join(first, 'dist'))).to.deep.equal(contents(join(second, 'dist')));
  });

  it('removes what earlier builds wrote and nothing else', async () => {
    const folder = app({ 'dist/mine.txt': 'mine', 'dist/steps/mine.js': 'mine', 'steps/extra.step.ts': EXTRA, 'dist/.treadle-build-999999/steps/a.mjs': 'left' });
    await build(folder);
    expect(existsSync(join(folder, 'dist/steps/extra.step.mjs'))).to.equal(true);
    expect(existsSync(join(folder, 'dist/.treadle-build-999999')), 'what a killed build left').to.equal(false);
    writeFileSync(join(folder, 'steps/extra.step.ts'), EXTRA.replace('Extra', 'Other'));
    writeFileSync(join(folder, 'dist/steps/legacy.step.mjs'), 'changed by somebody');
    addFiles(folder, { 'steps/new.step.ts': EXTRA.replace('Extra', 'New').replace('/extra', '/new') });
    for (const file of ['steps/extra.step.ts', 'steps/legacy.step.cjs', 'steps/board.stream.ts']) removeApp(join(folder, file));
    await build(folder);
    const left = Object.keys(contents(join(folder, 'dist')));
    expect(left).to.include.members(['mine.txt', 'steps/mine.js', 'steps/new.step.mjs', 'steps/legacy.step.mjs']);
    expect(left).to.not.include.members(['steps/extra.step.mjs', 'steps/extra.step.mjs.map', 'steps/board.stream.mjs']);
    expect(readFileSync(join(folder, 'dist/steps/legacy.step.mjs'), 'utf8')).to.equal('changed by somebody');
  });

  it('exits 65 for any error, says where, and leaves what was built before as it was', async () => {
    const folder = app();
    await build(folder);
    const before = contents(folder);
    addFiles(folder, { 'steps/bad.step.ts': EXTRA.replace("'GET'", "'GTE'") });
    const { code, stdout, stderr } = await runCli(['build'], { cwd: folder });
    expect([code, stdout]).to.deep.equal([65, '']);
    expect(stderr).to.match(/^steps\/bad\.step\.ts:2 {2}error {2}STEP_\w+ .*GTE.*\n {4}hint: .*\nnothing was built\n$/s);
    removeApp(join(folder, 'steps/bad.step.ts'));
    expect(contents(folder)).to.deep.equal(before);
  });

  it('exits 65 where there is nothing to build', async () => {
    const folder = makeApp({ 'config.yaml': CONFIG, 'package.json': MANIFEST, 'steps/order_step.ts': FILES['steps/order.step.ts'] });
    folders.push(folder);
    const { code, stderr } = await runCli(['build'], { cwd: folder });
    expect(code).to.equal(65);
    expect(stderr).to.contain('steps/order_step.ts  warning  STEP_FILE_OVERLOOKED  ').and.contain('hint: call it order.step.ts');
    expect(stderr).to.contain('steps  error  BUILD_NO_STEPS  there are no Step files in steps/ and src/').and.contain('nothing was built');
    expect(existsSync(join(folder, 'dist'))).to.equal(false);
  });

  it('resolves the paths of tsconfig.json', async () => {
    const folder = app({
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'steps/mapped.step.ts': "import { counted } from '@/shared';\nexport const config = { name: 'Mapped', triggers: [{ type: 'http', method: 'GET', path: '/mapped' }] };\nexport const handler = async () => ({ status: 200, body: counted() });\n",
    });
    const report = await build(folder);
    expect(report.files).to.include('steps/mapped.step.mjs');
    expect(Object.keys(report.packages ?? {})).to.deep.equal(['treadle', 'zod']);
  });

  it('resolves the paths of jsconfig.json', async () => {
    const folder = app({
      'jsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }', 'src/plain.js': 'export const plain = 1;\n',
      'steps/mapped.step.js': "import { plain } from '@/plain';\nexport const config = { name: 'Mapped', triggers: [{ type: 'http', method: 'GET', path: '/mapped' }] };\nexport const handler = async () => ({ status: 200, body: plain });\n",
    });
    expect((await build(folder)).files).to.include('steps/mapped.step.mjs');
  });

  it('exits 65 when files load one by one but cannot be compiled, and writes nothing', async () => {
    const folder = app({ 'steps/late.step.ts': EXTRA.replace('({ status: 204 })', "({ status: 200, body: await import('../src/broken.js') })"), 'src/broken.ts': 'export const = 1;\n' });
    const { code, stdout } = await runCli(['build', '--json'], { cwd: folder });
    expect(code).to.equal(65);
    const { errors } = JSON.parse(stdout) as { errors: { code: string; at: { file: string; line: number } }[] };
    expect([errors[0]?.code, errors[0]?.at.file, errors[0]?.at.line]).to.deep.equal(['BUILD_FAILED', 'src/broken.ts', 1]);
    expect(existsSync(join(folder, 'dist')) || existsSync(join(folder, 'treadle.lock.json'))).to.equal(false);
  });

  it('exits 78 for the configuration and 74 when dist cannot be written', async () => {
    const broken = app({ 'config.yaml': CONFIG.replace('port: 0', 'prot: 0') });
    expect((await runCli(['build'], { cwd: broken })).code).to.equal(78);
    const folder = app({ dist: 'a file' });
    const { code, stderr } = await runCli(['build'], { cwd: folder });
    expect([code, /FILE_NOT_WRITABLE/.test(stderr)]).to.deep.equal([74, true]);
    expect(existsSync(join(folder, 'treadle.lock.json'))).to.equal(false);
  });

  it('warns of packages that a production installation would not bring', async () => {
    const folder = app({ 'package.json': '{ "name": "shop", "dependencies": { "treadle": "*" }, "devDependencies": { "zod": "*" } }' });
    const { diagnostics } = await build(folder);
    expect(diagnostics.map(({ severity, code, message }) => [severity, code, message])).to.deep.equal([
      ['warning', 'BUILD_PACKAGE_NOT_A_DEPENDENCY', '"zod" is needed at run time, but package.json does not have it in "dependencies"'],
    ]);
  });

  it('takes in the sources of packages of the same workspace, and builds Steps that this configuration leaves to other processes', async () => {
    const workspace = app();
    const folder = join(workspace, 'apps/shop');
    mkdirSync(folder, { recursive: true });
    addFiles(workspace, { 'libs/words/index.ts': "export const hello = 'hello from the workspace';\n" });
    addFiles(folder, {
      'package.json': MANIFEST, 'tsconfig.json': '{ "compilerOptions": { "paths": { "words": ["../../libs/words/index.ts"] } } }',
      'config.yaml': `${CONFIG}  - class: modules::steps::StepsModule\n    config: { discover: false }\n`,
      'src/say.step.ts': EXTRA.replace('export', "import { hello } from '../../../libs/words';\nexport").replace('204 }', '200, body: hello }'),
    });
    const report = await build(folder);
    expect(report.steps).to.equal(1);
    expect(readFileSync(join(folder, 'dist/src/say.step.mjs'), 'utf8')).to.include('hello from the workspace');
  });
});

const EXTRA = `import { http, step } from 'treadle';
export default step({ name: 'Extra', triggers: [http('GET', '/extra')] }, async () => ({ status: 204 }));
`;

interface Lock {
  readonly steps: readonly {
    name: string; file: string; line: number; runtime: string; module: string; config: { triggers: readonly { bodySchema?: unknown }[] };
  }[];
  readonly topics: unknown;
  readonly sources: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

/** All files below a folder with their content; not what is linked into it. */
function contents(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, prefix)).filter((name) => name !== 'node_modules')) {
    const path = prefix === '' ? entry : `${prefix}/${entry}`;
    if (statSync(join(folder, path)).isDirectory()) Object.assign(found, contents(folder, path));
    else found[path] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}
