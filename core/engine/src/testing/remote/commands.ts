import type { TriggerDelivery } from '@treadle/api';
import type { TestApplication } from '../kit/test-application.js';
import type { TestEnqueueOptions } from '../kit/test-engine.js';

/** What a part of a form is. */
interface FormPart {
  readonly field: string;
  /** A field that is no file. */
  readonly text?: string;
  /** Of a file. */
  readonly base64?: string;
  readonly filename?: string;
  readonly type?: string;
}

/** A request as it comes from the other process. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly base64?: string;
  readonly form?: readonly FormPart[];
}

type Arguments = Readonly<Record<string, unknown>>;
type Client = Readonly<Record<string, (...values: unknown[]) => unknown>>;
type Run = (app: TestApplication, args: never) => unknown;

/** What a test in another process may ask for, by the names of the kit. */
export const COMMANDS: Readonly<Record<string, Run>> = {
  http: async (app, { method, path, query = {}, headers = {}, ...body }: Request) => {
    const { body: bytes, ...answer } = await app.exchange(method, path, { query, headers, body: bodyOf(body) });
    return { ...answer, base64: bytes.toString('base64') };
  },
  enqueue: (app, { topic, data, ...options }: TestEnqueueOptions & { readonly topic: string; readonly data: unknown }) =>
    app.enqueue(topic, data, options),
  deliver: (app, delivery: TriggerDelivery) => app.deliver(delivery),
  cron: (app, { step, ...options }: { readonly step: string; readonly at?: number; readonly trigger?: string }) =>
    app.cron(step, options),
  untilIdle: (app, options: { readonly timeoutMs?: number }) => app.untilIdle(options),
  advance: (app, { ms }: { readonly ms: number }) => app.clock.advance(ms),
  messages: (app, { topic }: { readonly topic?: string }) => app.messages(topic),
  logs: (app, filter: Parameters<TestApplication['logs']>[0]) => app.logs(filter),
  deadLetters: (app, filter: { readonly step?: string; readonly topic?: string }) => app.deadLetters(filter),
  streamEvents: (app, { stream }: { readonly stream?: string }) => app.streamEvents(stream),
  spans: (app, { traceId }: { readonly traceId?: string }) => app.spans(traceId),
  url: (app, { name }: { readonly name: string }) => app.url(name),
  operation: (app, { op, args }: { readonly op: string; readonly args: Arguments }) => operate(app, op, args),
  reset: (app) => app.reset(),
};

/** Arguments of operations in the order in which the clients of a test take them; the others are options. */
const POSITIONS: Readonly<Record<string, readonly string[]>> = {
  'state.get': ['group', 'key'], 'state.set': ['group', 'key', 'value'], 'state.delete': ['group', 'key'],
  'state.update': ['group', 'key', 'ops'],
  'state.list': ['group'], 'state.listGroups': [], 'state.clear': ['group'], 'state.getEntry': ['group', 'key'],
  'state.compareAndSet': ['group', 'key', 'revision', 'value'],
  'stream.get': ['groupId', 'id'], 'stream.set': ['groupId', 'id', 'item'], 'stream.delete': ['groupId', 'id'],
  'stream.update': ['groupId', 'id', 'ops'],
  'stream.list': ['groupId'], 'stream.listGroups': [], 'stream.send': ['channel', 'event'],
};

function operate(app: TestApplication, op: string, { stream, ...args }: Arguments): unknown {
  const [area, verb = ''] = op.split('.');
  const names = POSITIONS[op];
  if (!names) throw new Error(`the test engine has no operation "${op}"`);
  const client = (area === 'state' ? app.state : app.streams[String(stream)]) as unknown as Client;
  const given: Arguments = { ...args, channel: { groupId: args['groupId'], id: args['id'] } };
  const options = Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
  return client[verb]?.(...names.map((name) => given[name]), options);
}

function bodyOf({ text, base64, form }: Pick<Request, 'text' | 'base64' | 'form'>): unknown {
  if (form) return formOf(form);
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return text === undefined ? undefined : Buffer.from(text);
}

function formOf(parts: readonly FormPart[]): FormData {
  const form = new FormData();
  for (const { field, text, base64 = '', filename, type = '' } of parts) {
    if (text !== undefined) form.append(field, text);
    else form.append(field, new Blob([Buffer.from(base64, 'base64')], { type }), filename);
  }
  return form;
}
