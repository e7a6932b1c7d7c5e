import { isTopic, OperationError, TopicNotDeclared } from 'treadle';
import type { ListOptions, State, StreamClient, UpdateOp } from 'treadle';
import { checkJson, ValueParts } from './json-value.js';

/** Calls an operation of the engine in the name of one invocation; `pick` makes of its result what the handler gets. */
export type Operate = (op: string, args: unknown, pick?: (result: unknown) => unknown) => Promise<unknown>;

/** `ctx.state`, `ctx.streams` and `ctx.enqueue` are thin: what they do is decided by the module that serves the operation. */
export function stateClient(operate: Operate): State {
  const call = operate as (op: string, args: unknown) => Promise<never>;
  return {
    get: (group, key) => call('state.get', { group, key }),
    set: (group, key, value, options) => checked(value, 'the value', () => call('state.set', { ...checkedOptions(options), group, key, value })),
    delete: async (group, key) => void (await call('state.delete', { group, key })),
    update: (group, key, ops) => checkedOps(ops, () => call('state.update', { group, key, ops })),
    list: async (group, options?: ListOptions) => call('state.list', { group, ...checkedOptions(options) }),
    listGroups: async (options?: ListOptions) => call('state.listGroups', { ...checkedOptions(options) }),
    clear: (group) => call('state.clear', { group }),
    getEntry: (group, key) => call('state.getEntry', { group, key }),
    compareAndSet: (group, key, revision, value) =>
      checked(value, 'the value', () => call('state.compareAndSet', { group, key, revision, value })),
  };
}

/** `ctx.streams.<name>`. */
export function streamClient(stream: string, operate: Operate): StreamClient {
  const call = operate as (op: string, args: unknown) => Promise<never>;
  return {
    get: (groupId, id) => call('stream.get', { stream, groupId, id }),
    set: (groupId, id, item) => checked(item, 'the item', () => call('stream.set', { stream, groupId, id, item })),
    delete: async (groupId, id) => void (await call('stream.delete', { stream, groupId, id })),
    update: (groupId, id, ops: readonly UpdateOp[]) => checkedOps(ops, () => call('stream.update', { stream, groupId, id, ops })),
    list: (groupId) => call('stream.list', { stream, groupId }),
    listGroups: async (options?: ListOptions) => call('stream.listGroups', { stream, ...checkedOptions(options) }),
    send: (channel, event) => checked(event, 'the event', async () => void (await call('stream.send', { stream, ...channel, event }))),
  };
}

/** Operations behind members of the context, which check what they are given. */
const MEMBERS: ReadonlyMap<string, string> = new Map([['queue', 'ctx.enqueue'], ['state', 'ctx.state'], ['stream', 'ctx.streams']]);

/** `ctx.call`: any operation that a module of a plugin serves. The operation gets a copy of the arguments. */
export async function callOperation(name: unknown, args: unknown, operate: Operate): Promise<unknown> {
  if (typeof name !== 'string' || name === '') throw new OperationError('InvalidValue', 'call takes the name of an operation, e.g. "mqtt.publish", and its arguments');
  const member = MEMBERS.get(name.split('.', 1)[0] ?? '');
  if (member !== undefined) throw new OperationError('OPERATION_UNAVAILABLE', `"${name}" is not for call: use ${member}`);
  const given = args ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) throw new OperationError('InvalidValue', `call takes the arguments of "${name}" as one object`);
  checkJson(given, `what "${name}" is called with`, 1);
  return operate(name, JSON.parse(JSON.stringify(given)));
}

/** Who enqueues and to which topics it may. */
export interface Enqueuer {
  readonly step: string;
  readonly enqueues: ReadonlySet<string>;
}

/**
 * `ctx.enqueue`: operation `queue.enqueue` with `{ messages }`, which resolves to one `{ messageId }` each. A topic that
 * the Step does not declare is refused before anything is sent.
 */
export function enqueue(input: unknown, by: Enqueuer, operate: Operate): Promise<unknown> {
  try {
    if (Array.isArray(input)) return operate('queue.enqueue', { messages: batchOf(input, by) });
    return operate('queue.enqueue', { messages: [toMessage(input, by).message] }, first);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

const first = (ids: unknown): unknown => (ids as readonly unknown[])[0];

/** Each message may be as large as it may alone; together they have a limit of their own. */
function batchOf(input: readonly unknown[], by: Enqueuer): readonly Message[] {
  const all = ValueParts.ofBatch();
  const messages = input.map((each) => {
    const { message, parts } = toMessage(each, by);
    all.add(parts);
    return message;
  });
  all.checkKeys(messages.map(({ data }) => data));
  return messages;
}

type Message = Readonly<Record<string, unknown>>;

function toMessage(message: unknown, by: Enqueuer): { readonly message: Message; readonly parts: ValueParts } {
  if (typeof message !== 'object' || message === null) throw new OperationError('InvalidValue', 'enqueue takes { topic, data }');
  const { topic, at, data, ...options } = message as { topic?: unknown; at?: unknown; data?: unknown };
  const name = isTopic(topic) ? topic.topic : String(topic);
  if (!by.enqueues.has(name)) throw new TopicNotDeclared(by.step, name);
  const parts = checkJson(data, `the data for topic "${name}"`);
  checkJson(options, `an option for topic "${name}"`);
  return { message: { topic: name, data, ...options, ...(at === undefined ? {} : { at: instant(at, name) }) }, parts };
}

function instant(at: unknown, topic: string): unknown {
  const value = at instanceof Date ? at.getTime() : at;
  checkJson(value, `"at" for topic "${topic}"`);
  return at instanceof Date ? at.toISOString() : value;
}

/** JSON makes null of a NaN, and null means that there is no such option. */
function checkedOptions<T extends object>(options: T | undefined): T | undefined {
  if (options) checkJson(options, 'an option');
  return options;
}

/** Each value stands in its op, and that in the list. */
async function checkedOps<T>(ops: readonly UpdateOp[], call: () => Promise<T>): Promise<T> {
  checkJson(ops, 'an op', 2);
  return call();
}

async function checked<T>(value: unknown, what: string, call: () => Promise<T>): Promise<T> {
  checkJson(value, what);
  return call();
}
