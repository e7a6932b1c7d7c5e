import { AdminError } from '@treadle/api';
import { askModule, type ModuleQuestion } from '../api/ask-module.js';
import type { Surroundings } from '../api/surroundings.js';
import type { DeadLetter, GoTarget, Items, LogPage, QueuesAnswer, StreamInfo, TracePage } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import { topicPath } from './topic-path.js';

/** Finds what a text means; undefined: not this. */
type Finder = (surroundings: Surroundings, text: string) => GoTarget | undefined | Promise<GoTarget | undefined>;

const FINDERS: readonly Finder[] = [step, file, trace, span, route, topic, stream, module, message, deadLetter, request, job, stateKey];

/** `GET /go/:id`. @throws {Refusal} 404 */
export async function goTarget(surroundings: Surroundings, text: string): Promise<GoTarget> {
  for (const find of FINDERS) {
    const found = await find(surroundings, text);
    if (found) return found;
  }
  throw new Refusal(404, 'not_found', `"${text.slice(0, 100)}" is no trace, span, message, request, job, Step, topic, route, stream, module or key that is known here`);
}

function step({ steps }: Surroundings, text: string): GoTarget | undefined {
  const found = steps?.steps().find(({ id }) => id.toLowerCase() === text.toLowerCase());
  return found && { kind: 'step', path: `/flows?step=${encodeURIComponent(found.id)}`, title: `Step ${found.id}` };
}

/** `steps/order.step.ts:12`, also as the end of an absolute path. */
function file({ steps, engine }: Surroundings, text: string): GoTarget | undefined {
  const [, name = text, line] = /^(.*?):(\d+)(?::\d+)?$/.exec(text) ?? [];
  const relative = name.startsWith(`${engine.root}/`) ? name.slice(engine.root.length + 1) : name;
  const found = steps?.steps().find((one) => one.file === relative);
  const at = line === undefined ? '' : `&line=${line}`;
  return found && { kind: 'file', path: `/flows?step=${encodeURIComponent(found.id)}${at}`, title: text };
}

async function trace(surroundings: Surroundings, text: string): Promise<GoTarget | undefined> {
  if (!/^[0-9a-f]{4,32}$/i.test(text) || text.length === 16) return undefined;
  const path = await asked(surroundings, { block: 'observability', path: '/traces/:id', params: { id: text }, query: { limit: '1' } }) as { readonly traceId: string } | undefined;
  return path && { kind: 'trace', path: `/traces/${path.traceId}`, title: `trace ${path.traceId.slice(0, 8)}` };
}

async function span(surroundings: Surroundings, text: string): Promise<GoTarget | undefined> {
  if (!/^[0-9a-f]{16}$/i.test(text)) return undefined;
  const id = text.toLowerCase();
  const page = await asked(surroundings, { block: 'observability', path: '/traces', query: { q: `span:${id}`, limit: '1' } }) as TracePage | undefined;
  const logs = page?.items[0] ? undefined : await asked(surroundings, { block: 'observability', path: '/logs', query: { spanId: id, limit: '1' } }) as LogPage | undefined;
  const traceId = page?.items[0]?.traceId ?? logs?.items[0]?.traceId;
  return traceId === undefined ? undefined : { kind: 'span', path: `/traces/${traceId}?span=${id}`, title: `span ${id}` };
}

/** `POST /orders` or `/orders`. */
function route({ steps }: Surroundings, text: string): GoTarget | undefined {
  const [, method, path] = /^(?:([A-Z]+) )?(\/.*)$/.exec(text) ?? [];
  if (path === undefined) return undefined;
  for (const { id, config } of steps?.steps() ?? []) {
    const at = config.triggers.findIndex((trigger) => trigger.type === 'http' && trigger['path'] === path && (method === undefined || trigger['method'] === method));
    if (at >= 0) return { kind: 'route', path: `/endpoints/${encodeURIComponent(id)}/${at}`, title: text };
  }
  return undefined;
}

async function topic(surroundings: Surroundings, text: string): Promise<GoTarget | undefined> {
  const queues = await asked(surroundings, { block: 'queue', path: '/' }) as QueuesAnswer | undefined;
  const known = queues && text !== '' && [...queues.items, ...queues.unrouted].some((one) => one.topic === text);
  return known === true ? { kind: 'topic', path: `/queues/${encodeURIComponent(text)}`, title: `topic ${text}` } : undefined;
}

async function stream(surroundings: Surroundings, text: string): Promise<GoTarget | undefined> {
  const streams = await asked(surroundings, { block: 'stream', path: '/' }) as Items<StreamInfo> | undefined;
  return streams?.items.some(({ name }) => name === text) === true ? { kind: 'stream', path: `/streams/${encodeURIComponent(text)}`, title: `stream ${text}` } : undefined;
}

function module({ catalog }: Surroundings, text: string): GoTarget | undefined {
  const found = catalog.instances().find(({ instance: { id, classId } }) => id === text || classId === text);
  return found && { kind: 'module', path: `/modules/${encodeURIComponent(found.instance.id)}`, title: found.instance.id };
}

async function message(surroundings: Surroundings, text: string): Promise<GoTarget | undefined> {
  const quoted = text.replaceAll(/["\\]/g, '\\$&');
  const page = await asked(surroundings, { block: 'observability', path: '/traces', query: { q: `messaging.message.id:"${quoted}"`, limit: '1' } }) as TracePage | undefined;
  const found = page?.items[0];
  return found && { kind: 'message', path: `/traces/${found.traceId}`, title: `message ${text}` };
}

async function deadLetter(surroundings: Surroundings, text: string): Promise<GoTarget | undefined> {
  const found = await asked(surroundings, { block: 'queue', path: '/dead-letters/:id', params: { id: text } }) as DeadLetter | undefined;
  return found && { kind: 'dead letter', path: `${topicPath(found.topic)}?tab=dead&msg=${encodeURIComponent(found.id)}`, title: `dead letter ${found.id}` };
}

/** The id of a request that changed something, as answers and the log have it. */
function request({ audit }: Surroundings, text: string): GoTarget | undefined {
  const found = audit.ofRequest(text);
  return found && { kind: 'request', path: `/modules?tab=audit&entry=${found.id}`, title: `${found.method} ${found.path}` };
}

function job({ jobs }: Surroundings, text: string): GoTarget | undefined {
  const found = jobs.list().find(({ id }) => id === text);
  return found && { kind: 'job', path: `/modules?tab=jobs&job=${found.id}`, title: `${found.action} of ${found.count}` };
}

/** `group/key`. */
async function stateKey(surroundings: Surroundings, text: string): Promise<GoTarget | undefined> {
  const slash = text.indexOf('/');
  if (slash < 1) return undefined;
  const [group, key] = [text.slice(0, slash), text.slice(slash + 1)];
  const found = await asked(surroundings, { block: 'state', path: '/groups/:group/keys/:key', params: { group, key } });
  return found === undefined ? undefined : { kind: 'state', path: `/state/${encodeURIComponent(group)}/${encodeURIComponent(key)}`, title: text };
}

/** Undefined also where the module refuses: then it is something else. */
async function asked({ catalog }: Surroundings, question: ModuleQuestion): Promise<unknown> {
  try {
    return await askModule(catalog, question);
  } catch (error) {
    if (error instanceof AdminError) return undefined;
    throw error;
  }
}
