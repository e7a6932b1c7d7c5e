import { expect } from 'chai';
import { type StepResult, StepsPort } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { tempApplication, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const BOARD = (answer: string): string => `import { z } from 'zod';
import { getContext, type StreamConfig } from 'treadle';

export const config = {
  name: 'board',
  schema: z.object({ status: z.string() }),
  canAccess: async (subscription, auth?: { user: string }) => ({ answer: ${answer}, group: subscription.groupId, user: auth?.user, step: getContext().stepName }) as never,
} satisfies StreamConfig<{ user: string }>;
`;
const AUTH = `export const authenticate = async ({ headers }) => {
  if (headers.bad) throw new Error('no');
  return { user: headers.user };
};
`;

const yaml = (runtime: string): string => `engine: { implicit_modules: false }
modules:
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::${runtime} }] }
`;

describe('declarations of streams', function () {
  this.timeout(120_000);
  let test: TestComposition | undefined;
  afterEach(async () => {
    await test?.stop();
    test = undefined;
  });

  const call = (engine: TestComposition, step: string, type: string, input: unknown): Promise<StepResult> => engine.engine.dispatch.invoker.invoke({
    step, trigger: { type, index: 0 }, input, traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: false, timeoutMs: 30_000, attempt: 1,
    lane: 'request', waitMs: 30_000,
  });
  const canAccess = async (engine: TestComposition): Promise<unknown> => (await call(engine, 'stream:board', 'stream.declaration', {
    hook: 'canAccess', subscription: { streamName: 'board', groupId: 'g' }, auth: { user: 'u' },
  })).value;

  for (const runtime of ['Node', 'InProcess']) {
    it(`are catalog entries whose functions answer through the hub, with the runtime ${runtime}`, async () => {
      const root = tempApplication({ 'src/board.stream.ts': BOARD('1'), 'src/main.stream-auth.js': AUTH });
      const engine = test = await createTestComposition({ root, yaml: yaml(runtime) });
      await waitUntil('the declarations', () => engine.engine.dispatch.invoker.servers('stream:board') === 1);
      expect(engine.engine.dispatch.catalog.steps().map(({ id, role }) => [id, role])).to.deep.equal([['stream:board', 'stream'], ['stream-auth', 'stream-auth']]);
      expect(engine.engine.dispatch.catalog.step('stream:board')?.config.triggers[0]).to.have.nested.property('schema.properties.status.type', 'string');
      expect(await canAccess(engine)).to.deep.equal({ answer: 1, group: 'g', user: 'u', step: 'stream:board' });
      const authenticate = (headers: object): Promise<StepResult> => call(engine, 'stream-auth', 'stream.authentication', { hook: 'authenticate', request: { headers } });
      expect(await authenticate({ user: 'me' })).to.have.property('value').that.deep.equals({ user: 'me' });
      const refused = await authenticate({ bad: '1' }).catch((error: unknown) => error as { code: string; message: string });
      expect(refused).to.include({ code: 'unhandled_exception', message: 'no' });
    });
  }

  it('are swapped in development when they are saved', async () => {
    const root = tempApplication({ 'src/board.stream.ts': BOARD('1') });
    const engine = test = await createTestComposition({ root, yaml: yaml('Node'), mode: 'development' });
    await waitUntil('the declaration', () => engine.engine.dispatch.invoker.servers('stream:board') === 1);
    writeFiles(root, { 'src/board.stream.ts': BOARD('2') });
    await waitUntil('the new version', async () => ((await canAccess(engine)) as { answer: number }).answer === 2);
    writeFiles(root, { 'src/board.stream.ts': 'export const config = {' });
    await waitUntil('the problem', () => (engine.engine.port(StepsPort)?.diagnostics() ?? []).some(({ code }) => code === 'STEP_SYNTAX'));
    expect(await canAccess(engine)).to.include({ answer: 2 });
  });
});
