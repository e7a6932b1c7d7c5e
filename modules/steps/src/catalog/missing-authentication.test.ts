import { expect } from 'chai';
import { type StartOptions, TestSteps, type TestWorker, until } from '../steps.fixture.js';

const FILE = 'src/clients.stream-auth.ts';
const fine = { file: FILE, steps: [{ role: 'stream-auth', config: { authenticate: true } }] };
const step = { file: 'steps/a.step.ts', steps: [{ config: { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }] } }] };

describe('a file that says who may connect to streams', () => {
  let steps: TestSteps;
  afterEach(() => steps.stop());

  const worker = async (options: StartOptions = {}): Promise<TestWorker> => {
    const kinds = [{ type: 'http', summary: '', schema: {}, module: 'm' }, { type: 'stream.authentication', summary: '', schema: {}, module: 'm' }];
    steps = await TestSteps.start({ ...options, kinds: kinds as unknown as NonNullable<StartOptions['kinds']> });
    const joined = await steps.connect();
    await joined.hello(await steps.token());
    return joined;
  };
  const known = (): readonly (string | undefined)[] => [steps.dispatch.catalog.step('stream-auth')?.file, steps.dispatch.catalog.step('stream-auth')?.config.triggers[0]?.type];

  it('is in the catalog although it is broken, served by nobody, and served once it is mended', async () => {
    const remote = await worker({ config: { discover: false } });
    const broken = { file: FILE, steps: [], problem: { kind: 'syntax', message: 'Unexpected end' } };
    remote.send({ type: 'register', complete: false, reports: [step, broken] });
    await until(() => steps.dispatch.invoker.servers('A') === 1);
    expect(known()).to.deep.equal([FILE, 'stream.authentication']);
    expect(steps.dispatch.invoker.servers('stream-auth')).to.equal(0);
    remote.send({ type: 'register', complete: true, reports: [step, fine] });
    await until(() => steps.dispatch.invoker.servers('stream-auth') === 1);
    remote.send({ type: 'register', complete: true, reports: [step] });
    await until(() => steps.dispatch.catalog.step('stream-auth') === undefined);
  });

  it('is there although its config is faulty', async () => {
    const remote = await worker({ config: { discover: false } });
    const faulty = { file: FILE, steps: [{ role: 'stream-auth', config: { authenticate: 'yes' } }] };
    remote.send({ type: 'register', complete: true, reports: [step, faulty] });
    await until(() => steps.dispatch.invoker.servers('A') === 1);
    expect(known()).to.deep.equal([FILE, 'stream.authentication']);
    expect(steps.dispatch.invoker.servers('stream-auth')).to.equal(0);
  });

  it('is there before the process that serves it has said so, and without one', async () => {
    const remote = await worker({ files: { [FILE]: '' } });
    remote.send({ type: 'register', complete: true, reports: [step] });
    await until(() => steps.dispatch.invoker.servers('A') === 1);
    expect(known()).to.deep.equal([FILE, 'stream.authentication']);
  });
});
