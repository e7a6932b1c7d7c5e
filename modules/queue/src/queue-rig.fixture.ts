import {
  type AdminRequest, type AdminRoute, type ApplicationCatalog, bind, type Call, definePlugin, type InvokeRequest, type Lifecycle, Module,
  type Plugin, QueuePort, type QueueMessage, type Session, type SessionHandle, StepFailure, type StepRecord, StepsPort, type TriggerRecord,
} from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { fakeClock, type FakeClock, MapQueue } from '@treadle/testing';
import { adminRoute, routesPlugin } from './admin-routes.fixture.js';
import queue from './index.js';

/** What a Step of a test does with a delivery; what it throws fails it. */
export type Handle = (input: unknown, request: InvokeRequest) => unknown;

export const mapQueuePlugin: Plugin = definePlugin({ name: '@treadle/map-queue', version: '0.1.0', api: '*', adapters: [MapQueue] });

/** A Step of the catalog. */
export const stepRecord = (id: string, triggers: readonly (string | TriggerRecord)[], enqueues: readonly string[] = []): StepRecord => {
  const config = {
    name: id, enqueues,
    triggers: triggers.map((trigger): TriggerRecord => (typeof trigger === 'string' ? { type: 'queue', topic: trigger } : trigger)),
  };
  return { id, config, file: `steps/${id}.step.ts`, language: 'typescript', configHash: JSON.stringify(config) };
};

/** A worker in this process. */
export class FakeWorker implements Session {
  readonly runtime = 'fake';
  readonly version = '1';
  readonly cancelled: string[] = [];
  /** Calls that have not been answered. */
  readonly held = new Set<Call>();
  handle!: SessionHandle;

  constructor(readonly id: string, private readonly handlers: Readonly<Record<string, Handle>>) {}

  send(call: Call): void {
    this.held.add(call);
    void this.run(call);
  }

  cancel(call: Call, reason: string): void {
    this.held.delete(call);
    this.cancelled.push(`${call.request.step} ${reason}`);
  }

  private async run(call: Call): Promise<void> {
    try {
      await this.handlers[call.request.step]?.(call.request.input, call.request);
      call.succeed({});
    } catch (error) {
      call.fail(error instanceof StepFailure ? error : failureOf(error as Error));
    }
    this.held.delete(call);
  }
}

const failureOf = ({ name, message, stack }: Error): StepFailure =>
  new StepFailure('unhandled_exception', message, { errorName: name, ...(stack !== undefined && { stack }) });

/** A queue module over a queue in memory, in an engine of its own with a clock that stands still. */
export interface Rig {
  readonly test: TestComposition;
  readonly clock: FakeClock;
  readonly workers: FakeWorker[];
  readonly port: QueuePort;
  /** Attaches another worker. */
  worker(handlers: Readonly<Record<string, Handle>>): FakeWorker;
  send(topic: string, data: QueueMessage['data'], more?: Partial<QueueMessage>): Promise<string>;
  /** Calls an admin route, e.g. `('GET', '/messages', { query })`. */
  admin(method: AdminRoute['method'], path: string, request?: Partial<AdminRequest>): Promise<never>;
}

export interface RigOptions {
  readonly steps?: readonly StepRecord[];
  readonly handlers?: Readonly<Record<string, Handle>>;
  /** Settings of the module, as YAML's flow form without braces. */
  readonly config?: string;
  /** Stands in for the module that knows the applications. */
  readonly catalogs?: FakeSteps;
  readonly mode?: 'development' | 'production';
  readonly plugins?: readonly Plugin[];
  readonly modules?: string;
  /** Class of the adapter. */
  readonly adapter?: string;
}

/** The applications under a test's control. */
export class FakeSteps implements Pick<StepsPort, 'applications' | 'onChange'> {
  private list: readonly ApplicationCatalog[] = [];
  private readonly listeners = new Set<() => void>();

  set(list: readonly ApplicationCatalog[]): void {
    this.list = list;
    for (const listener of this.listeners) listener();
  }

  applications = (): readonly ApplicationCatalog[] => this.list;

  onChange = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  plugin(): Plugin {
    const steps = this;
    class FakeStepsModule implements Lifecycle {
      ports = (): ReturnType<NonNullable<Lifecycle['ports']>> => [bind(StepsPort, steps as unknown as StepsPort)];
    }
    Module({
      id: 'testing::steps::FakeStepsModule', summary: 'Applications under control', stability: 'development', since: '0.1.0',
      config: { type: 'object', additionalProperties: false }, provides: [StepsPort],
    })(FakeStepsModule);
    return definePlugin({ name: '@treadle/fake-steps', version: '0.1.0', api: '*', modules: [FakeStepsModule] });
  }
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const { steps = [], handlers = {}, config = '', catalogs, mode = 'production', plugins = [], modules = '', adapter = 'testing::queue::adapters::MapQueue' } = options;
  const clock = fakeClock();
  const yaml = `
engine: { implicit_modules: false }
modules:
  - class: testing::admin::RoutesModule
  - class: modules::queue::QueueModule
    config: { adapter: { class: ${adapter} }${config === '' ? '' : `, ${config}`} }
${catalogs ? '  - class: testing::steps::FakeStepsModule\n' : ''}${modules}`;
  const builtins = [queue, mapQueuePlugin, routesPlugin(), ...(catalogs ? [catalogs.plugin()] : []), ...plugins];
  const test = await createTestComposition({ builtins, yaml, mode, clock });
  const { catalog, sessions } = test.engine.dispatch;
  const workers: FakeWorker[] = [];
  const rig: Rig = {
    test, clock, workers, port: test.engine.port(QueuePort) as QueuePort,
    worker: (served) => {
      const worker = new FakeWorker(`w${workers.length}`, served);
      workers.push(worker);
      worker.handle = sessions.attach(worker);
      worker.handle.serve(Object.keys(served));
      return worker;
    },
    send: async (topic, data, more = {}) => ((await rig.port.enqueue([{ topic, data, ...more }]))[0] as { messageId: string }).messageId,
    admin: async (method, path, request = {}) => adminRoute(test, method, path).handle({ params: {}, query: {}, body: undefined, ...request }) as Promise<never>,
  };
  catalog.publish(steps);
  if (Object.keys(handlers).length > 0) rig.worker(handlers);
  await clock.advance(0);
  return rig;
}
