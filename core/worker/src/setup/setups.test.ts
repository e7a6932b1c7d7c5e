import { expect } from 'chai';
import type { StepFile, StepFileReport } from '@treadle/protocol';
import { AppFolder, bench, type Bench, json } from '../runner.fixture.js';

const READ = `export default { config: { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }] },
  handler: (_input, ctx) => ({ status: 200, body: ctx.setup.db ?? null }) };`;
/** Tells `globalThis.told` what is opened and closed. */
const setupFile = (value: string, more = ''): string => `
const told = (globalThis.told ??= []);
export default { open: async () => { told.push('open ${value}'); ${more} return '${value}'; }, close: (value) => { told.push('close ' + value); } };`;

describe('setups', () => {
  const told = ((globalThis as { told?: string[] }).told ??= []);
  let app: AppFolder;
  let made: Bench;
  const renewed: (readonly StepFileReport[])[] = [];
  let version = 0;
  const files = (...names: string[]): StepFile[] => names.map((file) => ({ file, version: String(version) }));
  const start = (content: Record<string, string>, options: Parameters<typeof bench>[0] = {}): void => {
    app = new AppFolder(content);
    made = bench({ root: app.root, opens: true, onReports: (reports) => void renewed.push(reports), ...options });
  };
  beforeEach(() => { told.length = renewed.length = 0; });
  afterEach(async () => {
    await made.runner.close();
    app.remove();
  });

  it('are opened before the first handler, read by the name of their file, and closed once', async () => {
    start({ 'steps/a.step.mjs': READ, 'steps/db.setup.mjs': setupFile('pool') });
    const reports = await made.runner.load(files('steps/a.step.mjs', 'steps/db.setup.mjs'));
    expect(reports.map(({ problem, held, steps }) => [problem, held, steps[0]?.role])).to.deep.equal([[undefined, undefined, undefined], [undefined, undefined, 'setup']]);
    expect(json(await made.http('A'))).to.equal('pool');
    await made.runner.close();
    await made.runner.close();
    expect(told).to.deep.equal(['open pool', 'close pool']);
  });

  it('are not opened where files are only registered', async () => {
    start({ 'steps/a.step.mjs': READ, 'steps/db.setup.mjs': setupFile('pool') }, { opens: false });
    await made.runner.load(files('steps/a.step.mjs', 'steps/db.setup.mjs'));
    expect(told).to.deep.equal([]);
  });

  it('hold the Steps that they are for until they can be opened', async () => {
    start({
      'steps/a.step.mjs': READ, 'steps/shop/b.step.mjs': READ.replaceAll("'A'", "'B'").replace('/a', '/b'),
      'steps/shop/db.setup.mjs': setupFile('pool', "if (told.length === 1) throw new Error('no route to the database');"),
    });
    const reports = await made.runner.load(files('steps/a.step.mjs', 'steps/shop/b.step.mjs', 'steps/shop/db.setup.mjs'));
    expect(reports.map(({ held, problem }) => [held, problem?.kind, problem?.message])).to.deep.equal([
      [undefined, undefined, undefined], [true, undefined, undefined], [undefined, 'setup', 'open(): no route to the database'],
    ]);
    const failure = await made.failure('B');
    expect([failure.code, failure.message]).to.deep.equal(['no_worker', 'the setup "db" (steps/shop/db.setup.mjs) is not open: no route to the database']);
    expect(made.logs.map(({ level, message }) => [level, message])).to.deep.equal([['error', 'the setup "db" cannot be opened; it is tried again']]);
    const answer = await made.http('A');
    expect([answer.status, answer.body?.value]).to.deep.equal([503, { error: 'Service Unavailable', code: 'no_worker' }]);
    while (renewed.length === 0) await new Promise((resolve) => { setTimeout(resolve, 20); });
    expect(renewed[0]?.map(({ held, problem }) => [held, problem])).to.deep.equal([[undefined, undefined], [undefined, undefined], [undefined, undefined]]);
    expect(json(await made.http('B'))).to.equal('pool');
  });

  it('change while handlers run: the new one is opened first, and the old one closed after the last handler that began with it', async () => {
    const wait = READ.replace('ctx) => (', 'ctx) => globalThis.gate.then(() => (').replace('null })', 'null }))');
    let open: () => void = () => undefined;
    Object.assign(globalThis, { gate: new Promise<void>((resolve) => { open = resolve; }) });
    start({ 'steps/a.step.mjs': wait, 'steps/db.setup.mjs': setupFile('old') });
    await made.runner.load(files('steps/a.step.mjs', 'steps/db.setup.mjs'));
    const first = made.http('A');
    version++;
    app.write('steps/db.setup.mjs', setupFile('new'));
    await made.runner.load(files('steps/a.step.mjs', 'steps/db.setup.mjs'));
    expect(told).to.deep.equal(['open old', 'open new']);
    open();
    expect(json(await first)).to.equal('old');
    expect(json(await made.http('A'))).to.equal('new');
    expect(told).to.deep.equal(['open old', 'open new', 'close old']);
    version++;
    app.write('steps/db.setup.mjs', setupFile('broken', "throw new Error('wrong');"));
    const reports = await made.runner.load(files('steps/a.step.mjs', 'steps/db.setup.mjs'));
    expect(reports.map(({ held, problem }) => [held, problem?.kind])).to.deep.equal([[undefined, undefined], [undefined, 'setup']]);
    expect(json(await made.http('A'))).to.equal('new');
    await made.runner.close();
    expect(told.slice(3)).to.deep.equal(['open broken', 'close new']);
  });

  it('give up an attempt that takes too long, and close what it opens in the end', async () => {
    start({
      'steps/a.step.mjs': READ,
      'steps/db.setup.mjs': `${setupFile('late', 'await new Promise((resolve) => { globalThis.letGo = resolve; });').replace('{ open', '{ openTimeoutMs: 20, open')}`,
    });
    const reports = await made.runner.load(files('steps/a.step.mjs', 'steps/db.setup.mjs'));
    expect(reports[1]?.problem?.message).to.equal('open(): open() did not come to an end in 0.02 s');
    (globalThis as unknown as { letGo: () => void }).letGo();
    await new Promise((resolve) => { setImmediate(resolve); });
    expect(told).to.deep.equal(['open late', 'close late']);
  });

  it('give way to given values', async () => {
    start({ 'steps/a.step.mjs': READ, 'steps/db.setup.mjs': setupFile('pool') }, { given: { db: 'fake' } });
    await made.runner.load(files('steps/a.step.mjs', 'steps/db.setup.mjs'));
    expect(json(await made.http('A'))).to.equal('fake');
    await made.runner.close();
    expect(told).to.deep.equal([]);
  });

  it('are held to their form', async () => {
    start({ 'steps/a.setup.mjs': 'export default { close() {} };', 'steps/b.setup.mjs': 'export default { open() {}, close: 1 };', 'steps/c.setup.mjs': 'export default { open() {}, opn: 1 };' });
    const reports = await made.runner.load(files('steps/a.setup.mjs', 'steps/b.setup.mjs', 'steps/c.setup.mjs'));
    expect(reports.map(({ problem }) => problem?.message.split(';')[0])).to.deep.equal([
      'the file exports no "open"', '"close" must be a function, not a number', 'a setup has no key "opn"',
    ]);
  });
});

describe('a declared environment', () => {
  let app: AppFolder;
  let made: Bench;
  const load = async (env: string, name = 'steps/app.env.mjs'): Promise<readonly StepFileReport[]> => {
    const step = READ.replace('ctx.setup.db ?? null', '{ ...ctx.env }');
    app = new AppFolder({ 'steps/a.step.mjs': step, [name]: env });
    made = bench({ root: app.root, opens: true });
    return made.runner.load(['steps/a.step.mjs', name].map((file) => ({ file, version: '1' })));
  };
  afterEach(() => {
    app.remove();
    delete process.env['T_PORT'];
    delete process.env['T_URL'];
  });

  it('is what handlers read, as the schema makes it', async () => {
    Object.assign(process.env, { T_PORT: '80', T_URL: 'http://db' });
    await load("import { z } from 'zod'; export default { schema: z.object({ T_PORT: z.coerce.number(), T_URL: z.url(), T_MODE: z.string().default('fast') }) };");
    expect(json(await made.http('A'))).to.deep.equal({ T_PORT: 80, T_URL: 'http://db', T_MODE: 'fast' });
    await load("export default { schema: { properties: { T_PORT: { type: 'integer' }, T_URL: { format: 'uri' }, T_MODE: { default: 'fast' } }, required: ['T_PORT'] } };");
    expect(json(await made.http('A'))).to.deep.equal({ T_PORT: 80, T_URL: 'http://db', T_MODE: 'fast' });
  });

  it('names all variables that are missing or wrong, without their values, and holds the Steps', async () => {
    process.env['T_PORT'] = 'abc';
    for (const env of [
      "import { z } from 'zod'; export default { schema: z.object({ T_PORT: z.coerce.number(), T_URL: z.url() }) };",
      "export default { schema: { properties: { T_PORT: { type: 'integer' }, T_URL: {} }, required: ['T_PORT', 'T_URL'] } };",
    ]) {
      const [step, declared] = await load(env);
      expect([step?.held, declared?.problem?.kind]).to.deep.equal([true, 'environment']);
      expect(declared?.problem?.message).to.match(/^T_PORT.*; T_URL is not set$/).and.not.include('abc');
      expect((await made.failure('A')).code).to.equal('no_worker');
    }
  });

  it('is held to what can be checked', async () => {
    const [, faulty] = await load("export default { schema: { properties: { A: { multipleOf: 2 } } } };");
    expect(faulty?.problem?.message).to.match(/^A: "multipleOf" is not checked for variables/);
    expect((await load('export default 1;'))[1]?.problem?.message).to.match(/^the file declares no variables/);
  });
});
