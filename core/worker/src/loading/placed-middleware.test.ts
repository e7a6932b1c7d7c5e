import { expect } from 'chai';
import { discoverStepFiles } from '../discover.js';
import { AppFolder, bench, json, type Bench } from '../runner.fixture.js';

const STEP = `export const config = { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/api/a' }, { type: 'queue', topic: 't' }] };
export const handler = (input, ctx) => ({ status: 200, body: ctx.seen });`;
const NOTE = (word: string): string => `export default (request, ctx, next) => next({ seen: [...(ctx.seen ?? []), '${word}'] });`;

describe('files of middleware', () => {
  let app: AppFolder;
  let made: Bench;
  beforeEach(() => {
    app = new AppFolder({ 'steps/in/a.step.js': STEP });
    made = bench({ root: app.root });
  });
  afterEach(() => app.remove());
  const load = async () => made.runner.load(await discoverStepFiles(app.root));
  const seen = async (): Promise<unknown> => json(await made.http('A'));

  it('run before the trigger\'s own, and are taken up, changed and removed while the Step stays as it is', async () => {
    app.write('steps/in/a.step.js', STEP.replace("path: '/api/a'", "path: '/api/a', middleware: (request, ctx, next) => next({ seen: [...ctx.seen, 'own'] })"));
    app.write('steps/in/inner.middleware.js', NOTE('inner'));
    app.write('steps/outer.middleware.ts', NOTE('outer'));
    app.write('src/path.middleware.js', `export const config = { path: '/api', after: 'validation' };\n${NOTE('path')}`);
    const reports = await load();
    expect(reports.map(({ steps }) => steps[0]?.role)).to.deep.equal(['middleware', undefined, 'middleware', 'middleware']);
    expect(reports[0]?.steps[0]?.config).to.deep.equal({ path: '/api', after: 'validation' });
    expect(await seen()).to.deep.equal(['outer', 'inner', 'own', 'path']);
    app.write('steps/outer.middleware.ts', NOTE('changed'));
    app.remove('src/path.middleware.js');
    await load();
    expect(await seen()).to.deep.equal(['changed', 'inner', 'own']);
    expect(await made.run('A', { trigger: { type: 'queue', index: 1 } })).to.deep.equal({ ok: true });
  });

  it('and triggers tell of the guards among them, by the trigger', async () => {
    app.write('steps/guard.middleware.js', "import { apiKey } from 'treadle/auth';\nexport default [apiKey({ keys: { a: 'x' } }), (request, ctx, next) => next()];");
    app.write('steps/in/a.step.js', `import { basic } from 'treadle/auth';
const guard = basic({ users: { ada: 'x' } });
${STEP.replace('triggers: [', "triggers: [{ type: 'cron', expression: '@daily' }, ").replace("path: '/api/a'", "path: '/api/a', middleware: [guard.optional, { run: guard, after: 'validation' }]")}`);
    const key = { schemes: [{ type: 'apiKey', in: 'header', name: 'x-api-key' }] };
    const user = { schemes: [{ type: 'http', scheme: 'basic' }] };
    expect((await load()).map(({ file, steps }) => [file, steps[0]?.guards])).to.deep.equal([
      ['steps/guard.middleware.js', [[key]]], ['steps/in/a.step.js', [[], [{ ...user, optional: true }, user], []]],
    ]);
  });

  it('that were never loaded let nothing through, and go on as they were when a new version is broken', async () => {
    app.write('steps/guard.middleware.js', 'throw new Error("no secret");');
    expect((await load()).map(({ problem }) => problem?.kind)).to.deep.equal(['import', undefined]);
    expect(await made.http('A')).to.include({ status: 503 });
    expect(made.logs.map(({ message }) => message)).to.include('steps/guard.middleware.js could not be loaded; the routes behind it answer 503');
    app.write('steps/guard.middleware.js', NOTE('good'));
    await load();
    expect(await seen()).to.deep.equal(['good']);
    app.write('steps/guard.middleware.js', 'export default 7;');
    expect((await load()).map(({ problem }) => problem?.message)[0]).to.match(/^middleware must be a function, not a number; write "export default/);
    expect(await seen()).to.deep.equal(['good']);
  });

  it('that may not be loaded let nothing through, also where their config may name routes elsewhere', async () => {
    const held = (file: string) => ({ file, version: 'x', held: true });
    app.write('src/guard.middleware.js', `export const config = { path: '/api' };\n${NOTE('guard')}`);
    await made.runner.load([...(await discoverStepFiles(app.root)).filter(({ file }) => file.includes('step.js')), held('src/guard.middleware.js')]);
    expect(await made.http('A')).to.include({ status: 503 });
    app.write('src/guard.middleware.js', NOTE('of another folder'));
    await made.runner.load([...(await discoverStepFiles(app.root)).filter(({ file }) => file.includes('step.js')), held('src/guard.middleware.js')]);
    expect(await made.http('A')).to.include({ status: 200 });
  });
});
