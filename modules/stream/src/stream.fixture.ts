import type { Call, Plugin, Session, StepRecord, StreamEvent, TriggerRecord } from '@treadle/api';
import { StepFailure, StreamPort } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import sqlite from '@treadle/plugin-sqlite';
import { type ClientOptions, WebSocket } from 'ws';
import stream from './index.js';

interface Functions {
  canAccess?: (subscription: { groupId: string; streamName: string; id?: string }, auth: unknown) => unknown;
  onJoin?: (subscription: object, auth: unknown) => unknown;
  onLeave?: (subscription: object, auth: unknown) => unknown;
}

/** A declared stream of a test; functions run in this process. */
export interface TestStream extends Functions {
  readonly schema?: object;
}

interface HookInput {
  readonly hook: keyof Functions | 'authenticate';
  readonly request: { readonly headers: Record<string, string>; readonly query: Record<string, string> };
  readonly subscription: { groupId: string; streamName: string; id?: string };
  readonly auth: unknown;
}

const record = (id: string, trigger: TriggerRecord, role: 'stream' | 'stream-auth'): StepRecord => ({
  id, role, config: { name: id, triggers: [trigger] }, file: `src/${id.replace(':', '-')}.stream.ts`, language: 'typescript', configHash: JSON.stringify(trigger),
});

/** The YAML of an engine with nothing but streams, in memory unless the adapter says otherwise. */
export const streamYaml = (config: object = {}, adapter: object = { class: 'modules::stream::adapters::Sqlite', config: { store_method: 'in_memory' } }): string =>
  JSON.stringify({
    engine: { implicit_modules: false, drain_timeout_ms: 2000 },
    modules: [{ class: 'modules::stream::StreamModule', config: { adapter, ...config } }],
  });

export interface WorldOptions {
  readonly config?: object;
  readonly adapter?: object;
  readonly root?: string;
  readonly streams?: Readonly<Record<string, TestStream>>;
  readonly authenticate?: (request: HookInput['request']) => unknown;
  /** URLs of more plugins. */
  readonly plugins?: readonly string[];
  /** Nobody serves the functions. */
  readonly noWorker?: boolean;
}

/** An engine with streams and a worker that runs their functions. */
export class World {
  readonly clients: WireClient[] = [];

  private constructor(public test: TestComposition, private readonly options: WorldOptions) {}

  static async start(options: WorldOptions = {}): Promise<World> {
    const { root, config, adapter, plugins = [] } = options;
    const more = await Promise.all(plugins.map(async (url) => (await import(url) as { readonly default: Plugin }).default));
    const test = await createTestComposition({
      builtins: [stream, sqlite, keyv, ...more], yaml: streamYaml(config, adapter), ...(root === undefined ? {} : { root }),
    });
    const world = new World(test, options);
    world.publish();
    if (!options.noWorker) world.attach();
    return world;
  }

  get url(): string {
    return this.test.url('stream').replace('0.0.0.0', '127.0.0.1');
  }

  get port(): StreamPort {
    const port = this.test.engine.port(StreamPort);
    if (!port) throw new Error('there is no stream port');
    return port;
  }

  publish(authenticate = this.options.authenticate !== undefined): void {
    const { streams = { board: {} } } = this.options;
    const records = Object.entries(streams).map(([name, { schema, ...functions }]) => record(`stream:${name}`, {
      type: 'stream.declaration', streamName: name, ...(schema && { schema }), ...Object.fromEntries(Object.keys(functions).map((key) => [key, true])),
    }, 'stream'));
    this.test.engine.dispatch.catalog.publish([...records, ...(authenticate ? [record('stream-auth', { type: 'stream.authentication' }, 'stream-auth')] : [])]);
  }

  attach(): void {
    const { streams = {}, authenticate } = this.options;
    const answer = async ({ request }: Call): Promise<unknown> => {
      const input = request.input as HookInput;
      if (input.hook === 'authenticate') return authenticate?.(input.request);
      return (streams[input.subscription.streamName]?.[input.hook] as ((...args: unknown[]) => unknown) | undefined)?.(input.subscription, input.auth);
    };
    const session: Session = {
      id: 'w1', runtime: 'node', version: 'v0', cancel: () => undefined,
      send: (call) => void answer(call).then((value) => call.succeed({ value }), (error: Error) => call.fail(new StepFailure('unhandled_exception', error.message))),
    };
    this.test.engine.dispatch.sessions.attach(session).serve(this.test.engine.dispatch.catalog.steps().map(({ id }) => id));
  }

  async connect(options: ClientOptions & { readonly path?: string } = {}): Promise<WireClient> {
    const client = new WireClient(new WebSocket(this.url + (options.path ?? ''), options));
    this.clients.push(client);
    await client.opened;
    return client;
  }

  /** Status of an upgrade that is refused. */
  async refusal(options: ClientOptions & { readonly path?: string } = {}): Promise<number> {
    return this.connect(options).then(() => 101, (error: Error) => Number(/Unexpected server response: (\d+)/.exec(error.message)?.[1] ?? -1));
  }

  /** Stops the module's engine cleanly and starts it on the same data. */
  async restart(): Promise<void> {
    const { config, adapter } = this.options;
    await this.test.reload(JSON.stringify({ engine: { implicit_modules: false }, modules: [] }));
    await this.test.reload(streamYaml(config, adapter));
    this.publish();
  }

  async stop(): Promise<void> {
    for (const { socket } of this.clients) socket.terminate();
    await this.test.stop();
  }
}

/** A message as it came. */
export interface WireMessage extends Omit<StreamEvent, 'event' | 'stream'> {
  readonly type: string;
  readonly streamName: string;
  readonly subscriptionId: string;
  readonly code?: string;
  readonly message?: string;
  readonly event: { readonly type: string; readonly data?: unknown; readonly ids?: readonly string[]; readonly event?: unknown };
}

/** A client that speaks the wire protocol by hand. */
export class WireClient {
  readonly messages: WireMessage[] = [];
  readonly opened: Promise<void>;
  /** Code of the end. */
  readonly closed: Promise<number>;
  private read = 0;
  private wake: (() => void) | undefined;

  constructor(readonly socket: WebSocket) {
    this.opened = new Promise((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('error', reject);
    });
    this.closed = new Promise((resolve) => void socket.on('close', resolve));
    socket.on('message', (data: Buffer) => {
      this.messages.push(JSON.parse(data.toString()) as WireMessage);
      this.wake?.();
    });
  }

  /** The next message that was not taken yet. */
  async next(): Promise<WireMessage> {
    while (this.read >= this.messages.length) await new Promise<void>((resolve) => void (this.wake = resolve));
    this.read += 1;
    return this.messages[this.read - 1] as WireMessage;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Joins and gives the first message of the subscription. */
  async join(groupId: string, more: object = {}): Promise<WireMessage> {
    this.send({ type: 'join', data: { subscriptionId: 's', streamName: 'board', groupId, ...more } });
    return this.next();
  }

  leave(subscriptionId = 's'): void {
    this.send({ type: 'leave', data: { subscriptionId } });
  }

  /** What happened, in short. */
  brief(): readonly unknown[] {
    return this.messages.map(({ type, code, seq, id, event }) => (type === 'error' ? code : [seq, event.type, id, event.data ?? event.event]));
  }
}

/** Waits until something holds; fails after 10 s. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2000; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('it never became true');
}
