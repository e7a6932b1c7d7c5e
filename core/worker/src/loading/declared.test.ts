import { expect } from 'chai';
import type { StepFileReport } from '@treadle/protocol';
import { discoverStepFiles } from '../discover.js';
import { AppFolder, bench, type Bench } from '../runner.fixture.js';
import type { RunOutcome } from '../running/invoke.js';

const BOARD = `import { z } from 'zod';
export const config = {
  name: 'board',
  schema: z.object({ status: z.string() }),
  async canAccess(subscription: { groupId: string }, auth?: { user: string }) { return this.open(subscription.groupId) || auth?.user === 'root'; },
  open: (group: string) => group === 'public',
  onJoin: (subscription: { groupId: string }) => { if (subscription.groupId === 'full') throw new TypeError('no seat'); },
  onLeave: () => () => 1,
};`;
const AUTH = 'export async function authenticate({ headers, ip }: any) { return headers.user ? { user: headers.user, ip } : null; }';

describe('declarations of streams', () => {
  let app: AppFolder;
  let made: Bench;
  afterEach(() => app.remove());

  async function load(): Promise<readonly StepFileReport[]> {
    return made.runner.load(await discoverStepFiles(app.root));
  }

  async function opened(files: Record<string, string>): Promise<readonly StepFileReport[]> {
    app = new AppFolder(files);
    made = bench({ root: app.root });
    return load();
  }

  const hook = (name: string, groupId: string, auth?: unknown): Promise<RunOutcome> =>
    made.run('stream:board', { trigger: { type: 'stream.declaration', index: 0 }, input: { hook: name, subscription: { groupId }, auth } });
  const authenticate = (headers: object): Promise<RunOutcome> =>
    made.run('stream-auth', { trigger: { type: 'stream.authentication', index: 0 }, input: { hook: 'authenticate', request: { headers, ip: '::1' } } });

  it('are reported with their role, their schema as JSON Schema and their functions as true', async () => {
    const [board, auth] = await opened({ 'src/board.stream.ts': BOARD.replace('  open:', '  // @ts-ignore\n  open:'), 'src/main.stream-auth.ts': AUTH });
    const [declared] = board?.steps ?? [];
    expect([declared?.role, declared?.line]).to.deep.equal(['stream', 2]);
    expect(declared?.config).to.deep.include({ name: 'board', canAccess: true, onJoin: true, onLeave: true });
    expect(declared?.config).to.have.nested.property('schema.properties.status.type', 'string');
    expect(auth?.steps).to.deep.equal([{ role: 'stream-auth', config: { authenticate: true }, line: 1 }]);
  });

  it('run their functions, async ones too, and answer what they give back', async () => {
    await opened({ 'src/board.stream.ts': BOARD, 'src/main.stream-auth.ts': AUTH });
    expect(await hook('canAccess', 'public')).to.deep.equal({ ok: true, value: true });
    expect(await hook('canAccess', 'secret')).to.deep.equal({ ok: true, value: false });
    expect(await hook('canAccess', 'secret', { user: 'root' })).to.deep.equal({ ok: true, value: true });
    expect(await hook('onJoin', 'public')).to.deep.equal({ ok: true, value: undefined });
    expect(await authenticate({ user: 'u1' })).to.deep.equal({ ok: true, value: { user: 'u1', ip: '::1' } });
    expect(await authenticate({})).to.deep.equal({ ok: true, value: null });
  });

  it('fail when a function throws, is not there, or gives back what is no JSON', async () => {
    await opened({ 'src/board.stream.ts': BOARD });
    expect(await hook('onJoin', 'full')).to.deep.include({ ok: false, code: 'unhandled_exception', name: 'TypeError', message: 'no seat' });
    expect(await hook('open', 'public')).to.deep.include({ ok: false, message: 'stream "board" declares no function "open"' });
    expect(await hook('onLeave', 'public')).to.deep.include({
      ok: false, code: 'invalid_handler_result', message: 'what it gave back cannot be sent as JSON: it is a function',
    });
  });

  it('may be written as default exports, in TypeScript and JavaScript', async () => {
    const reports = await opened({
      'src/a.stream.ts': "export default { name: 'a' };",
      'src/b.stream.js': "module.exports = { config: { name: 'b' } };",
      'src/c.stream.js': "module.exports = { name: 'c', canAccess: () => true };",
      'src/d.stream.ts': "export default { config: { name: 'd' } };",
    });
    expect(reports.map(({ steps }) => (steps[0]?.config as { name?: string }).name)).to.deep.equal(['a', 'b', 'c', 'd']);
    for (const text of ['export default () => 1;', 'export const config = { authenticate: () => 1 };', 'export default { authenticate: () => 1 };']) {
      app.write('src/z.stream-auth.ts', text);
      await load();
      expect(await authenticate({}), text).to.deep.equal({ ok: true, value: 1 });
    }
  });

  it('say what is missing', async () => {
    const reports = await opened({
      'src/a.stream.ts': 'export const name = 1;', 'src/b.stream.ts': 'export const config = [];',
      'src/c.stream-auth.ts': 'export const auth = 1;', 'src/d.stream-auth.ts': 'export const authenticate = 1;',
      'src/e.stream.ts': "export const config = { name: 'e', schema: 5 };",
    });
    expect(reports.map(({ problem }) => `${problem?.kind}: ${problem?.message}`)).to.deep.equal([
      'missing_config: the file exports no config; write "export const config = { name, schema }", or export that object as default',
      'missing_config: config must be an object, not an array',
      'missing_authenticate: the file exports no authenticate; write "export async function authenticate({ headers, query, url, ip })"',
      'missing_authenticate: authenticate must be a function, not a number',
      'schema: schema: a schema must be a Standard Schema (zod, …) or JSON Schema, not 5',
    ]);
  });

  it('are swapped when they are saved', async () => {
    await opened({ 'src/board.stream.ts': "export const config = { name: 'board', canAccess: () => 1 };" });
    expect(await hook('canAccess', 'g')).to.deep.equal({ ok: true, value: 1 });
    app.write('src/board.stream.ts', "export const config = { name: 'board', canAccess: () => 2 };");
    await load();
    expect(await hook('canAccess', 'g')).to.deep.equal({ ok: true, value: 2 });
  });
});
