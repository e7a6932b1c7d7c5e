import { expect } from 'chai';
import { connect, type Server } from 'node:net';
import { once } from 'node:events';
import {
  InjectConfig, Module, definePlugin, moduleSpecOf, type ConfigSchema, type Ctor, type Lifecycle, type ModuleContext, type ModuleSpec,
} from '@treadle/api';
import type { Engine } from '@treadle/kernel';
import { EchoModule, EchoPort } from './echo.module.fixture.js';
import echo from './echo.module.fixture.js';
import { moduleSuite } from './module-suite.js';
import type { ModuleTarget, RunningWork } from './module-target.js';
import type { Runner } from './runner.js';

async function openConnection(engine: Engine): Promise<RunningWork> {
  const socket = connect(engine.port(EchoPort)?.port ?? 0, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('x');
  await once(socket, 'data');
  const done = new Promise((resolve) => socket.once('close', resolve));
  return { finish: () => void socket.end(), done };
}

const yaml = (settings: string): string =>
  `engine: { implicit_modules: false }\nmodules:\n  - class: test::echo::EchoModule\n    config: { ${settings} }\n`;

moduleSuite({
  module: EchoModule, plugins: [echo], work: openConnection, secrets: ['hunter2'],
  env: () => ({ yaml: yaml('password: hunter2') }),
});

/** Runs a suite without mocha: names of the tests that failed, and why. */
async function failuresOf(target: ModuleTarget): Promise<ReadonlyMap<string, string>> {
  const tests = new Map<string, () => Promise<void> | void>();
  const runner: Runner = { describe: (_name, define) => define(), it: (name, run) => tests.set(name, run) };
  moduleSuite(target, runner);
  const failures = new Map<string, string>();
  for (const [name, run] of tests) {
    try {
      await run();
    } catch (error) {
      failures.set(name, (error as Error).message);
    }
  }
  return failures;
}

const NO_SETTINGS: ConfigSchema = { type: 'object', additionalProperties: false, properties: {} };

function targetOf(module: Ctor<Lifecycle>, spec: Partial<ModuleSpec> = {}): ModuleTarget {
  Module({ id: 'test::bad::BadModule', summary: 's', stability: 'development', since: '0.1.0', config: NO_SETTINGS, ...spec })(module);
  return { module, plugins: [definePlugin({ name: 'test-bad', version: '1.0.0', api: '*', modules: [module] })], tune: { slowFactor: 0.2 } };
}

describe('moduleSuite finds', () => {
  const nothing = class implements Lifecycle {} as Ctor<Lifecycle>;
  let timers: NodeJS.Timeout[] = [];
  afterEach(() => {
    for (const timer of timers) clearInterval(timer);
    timers = [];
  });

  it('nothing wrong with an empty module', async () => {
    expect([...await failuresOf(targetOf(class implements Lifecycle {} as Ctor<Lifecycle>))]).to.deep.equal([]);
  });

  it('undescribed settings, bad defaults and open schemas', async () => {
    const config: ConfigSchema = {
      type: 'object',
      properties: { limit: { type: 'integer', default: 'many' }, deep: { type: 'object', description: 'D.', properties: { in: { type: 'string' } } } },
    };
    const failures = await failuresOf(targetOf(nothing, { config: { ...config, additionalProperties: true } }));
    expect([...failures.keys()]).to.include.members(['describes every setting', 'has defaults and examples that its schema accepts']);
    expect(failures.get('describes every setting')).to.contain("[ 'limit', 'deep.in' ]");
  });

  it('timers and I/O in a constructor', async () => {
    class Hasty implements Lifecycle {
      constructor() {
        timers.push(setInterval(() => undefined, 60_000));
      }
    }
    const failures = await failuresOf(targetOf(Hasty));
    expect(failures.get('does no I/O and sets no timer in its constructor')).to.contain('Timeout');
    expect(failures.has('leaves no handle open')).to.equal(true);
  });

  it('a stop that needs an init before it', async () => {
    class Needy implements Lifecycle {
      private store: { close(): void } | undefined;
      async init(): Promise<void> {
        this.store = { close: () => undefined };
      }
      async stop(): Promise<void> {
        (this.store as { close(): void }).close();
      }
    }
    expect([...(await failuresOf(targetOf(Needy))).keys()]).to.deep.equal(['stops before its init']);
  });

  it('a stop that works only once', async () => {
    class Once implements Lifecycle {
      private stopped = false;
      async stop(): Promise<void> {
        if (this.stopped) throw new Error('already stopped');
        this.stopped = true;
      }
    }
    expect([...(await failuresOf(targetOf(Once))).keys()]).to.include('stops twice');
  });

  it('state that two instances share', async () => {
    let running = false;
    class Single implements Lifecycle {
      async start(): Promise<void> {
        if (running) throw new Error('only one, please');
        running = true;
      }
      async stop(): Promise<void> {
        running = false;
      }
    }
    expect([...(await failuresOf(targetOf(Single))).keys()]).to.deep.equal(['lets two instances live side by side']);
  });

  it('a drain that does not end, and an illegal status', async () => {
    class Stuck implements Lifecycle {
      async start({ report }: ModuleContext): Promise<void> {
        report('failed');
        report('ok');
      }
      drain({ deadline }: { deadline: number }): Promise<void> {
        return new Promise((resolve) => setTimeout(resolve, deadline - Date.now() + 400));
      }
    }
    const env = (): { yaml: string } => ({
      yaml: 'engine: { implicit_modules: false, drain_timeout_ms: 50 }\nmodules:\n  - class: test::bad::BadModule\n',
    });
    expect([...(await failuresOf({ ...targetOf(Stuck), env })).keys()]).to.include.members([
      'returns from drain by the deadline', 'reports only legal transitions of its status', 'goes through a whole life without errors',
    ]);
  });

  it('a drain that does not wait for running work', async () => {
    class Careless extends EchoModule {
      override async drain(): Promise<void> {
        await Promise.resolve();
      }
    }
    const target = targetOf(Careless as unknown as Ctor<Lifecycle>, moduleSpecOf(EchoModule));
    const failures = await failuresOf({ ...target, work: openConnection });
    expect([...failures.keys()]).to.deep.equal(['finishes running work before it has drained']);
  });

  it('ports that stay taken', async () => {
    const servers: Server[] = [];
    class Leaky extends EchoModule {
      override async drain(): Promise<void> {
        await Promise.resolve();
      }
      override async stop(): Promise<void> {
        servers.push((this as unknown as { server: Server }).server);
        await Promise.resolve();
      }
    }
    const failures = await failuresOf(targetOf(Leaky as unknown as Ctor<Lifecycle>, moduleSpecOf(EchoModule)));
    for (const server of servers) server?.close();
    expect([...failures.keys()]).to.include.members(['leaves no handle open', 'frees its ports at once when it stops']);
  });

  it('secrets in the log', async () => {
    const config: ConfigSchema = { ...NO_SETTINGS, properties: { phrase: { type: 'string', 'x-secret': true, description: 'P.' } } };
    class Chatty implements Lifecycle {
      constructor(@InjectConfig() private readonly config: { readonly phrase: string }) {}
      async init({ log }: ModuleContext): Promise<void> {
        log.info('set up', { saying: this.config.phrase });
      }
    }
    const failures = await failuresOf({
      ...targetOf(Chatty as unknown as Ctor<Lifecycle>, { config }), secrets: ['open sesame'],
      env: () => ({ yaml: 'engine: { implicit_modules: false }\nmodules:\n  - class: test::bad::BadModule\n    config: { phrase: open sesame }\n' }),
    });
    expect([...failures.keys()]).to.deep.equal(['shows its secrets in no log and no print']);
  });

  it('skips that skip nothing or say no reason, and leaves out those that do', async () => {
    const target = targetOf(class implements Lifecycle {} as Ctor<Lifecycle>);
    const name = 'skips only tests that exist, each with a reason';
    expect((await failuresOf({ ...target, skip: [{ test: 'no such test', reason: 'x' }] })).get(name)).to.contain('there is no test "no such test" to skip');
    expect((await failuresOf({ ...target, skip: [{ test: 'stops twice', reason: ' ' }] })).get(name)).to.equal('the skip of "stops twice" has no reason');
    expect([...await failuresOf({ ...target, skip: [{ test: 'stops twice', reason: 'known' }] })]).to.deep.equal([]);
  });

  it('targets that are not in order', async () => {
    const plain = class implements Lifecycle {} as Ctor<Lifecycle>;
    expect(() => moduleSuite({ module: plain, plugins: [] })).to.throw(/has no @Module declaration$/);
    const failures = await failuresOf({ ...targetOf(class implements Lifecycle {} as Ctor<Lifecycle>), env: () => ({ yaml: 'modules: 7' }) });
    expect(failures.get('stops twice')).to.match(/^the configuration of the target is faulty:\nconfig\.yaml:1:10 {2}error {2}CONFIG_BAD_VALUE/);
  });
});
