import { randomUUID } from 'node:crypto';
import { wallTime } from '@treadle/api';
import { askModule, blockRoute } from '../api/ask-module.js';
import type { Surroundings } from '../api/surroundings.js';
import type { ReplayStarted, RunCron, RunHttp, RunOutcome, RunQueue, RunRecord, RunReplay, RunRequest, RunStream } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import { sendHttp, type Sent } from './send-http.js';

/** `POST /run`: does it, and notes it in the history. @throws what the module that does it refuses */
export async function run(surroundings: Surroundings, request: RunRequest, who: string): Promise<RunRecord> {
  const { clock, history } = surroundings;
  const [at, began] = [new Date(wallTime(clock)).toISOString(), performance.now()];
  const { outcome, traceId } = await outcomeOf(surroundings, request);
  const record = { id: randomUUID(), at, who, request, durationMs: performance.now() - began, outcome, ...traceId !== undefined && { traceId } };
  history.add(record);
  return record;
}

function outcomeOf(surroundings: Surroundings, request: RunRequest): Promise<Sent> {
  switch (request.kind) {
    case 'http': return runHttp(surroundings, request);
    case 'queue': return runQueue(surroundings, request);
    case 'cron': return runCron(surroundings, request);
    case 'stream': return runStream(surroundings, request);
    case 'replay': return runReplay(surroundings, request);
  }
}

async function runHttp({ catalog }: Surroundings, request: RunHttp): Promise<Sent> {
  const address = catalog.addresses().get('http');
  if (address === undefined) throw missing('http');
  return sendHttp(address, request);
}

async function runQueue({ catalog }: Surroundings, { topic, data, headers, delayMs, messageGroupId, dedupeKey }: RunQueue): Promise<Sent> {
  const body = { topic, data, headers, delayMs, messageGroupId, dedupeKey };
  const message = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const answer = await asked<{ readonly messageIds: readonly string[]; readonly traceId?: string; readonly unrouted?: readonly string[] }>({ catalog }, { block: 'queue', path: '/messages', body: message });
  const outcome: RunOutcome = { kind: 'queue', messageId: answer.messageIds[0] ?? '', ...answer.unrouted && { unrouted: true } };
  return { outcome, ...answer.traceId !== undefined && { traceId: answer.traceId } };
}

async function runCron({ catalog }: Surroundings, { step, trigger }: RunCron): Promise<Sent> {
  const body = { step, ...trigger !== undefined && { trigger } };
  const { runId, traceId } = await asked<{ readonly runId: string; readonly traceId: string }>({ catalog }, { block: 'cron', path: '/run', body });
  return { outcome: { kind: 'cron', runId }, traceId };
}

async function runStream({ catalog }: Surroundings, { stream, group, id, data }: RunStream): Promise<Sent> {
  const question = { block: 'stream', method: 'PUT', path: '/:stream/groups/:group/items/:id', params: { stream, group, id }, body: { value: data } } as const;
  const { revision = 0 } = await asked<{ readonly revision?: number }>({ catalog }, question);
  return { outcome: { kind: 'stream', revision } };
}

async function runReplay({ catalog }: Surroundings, { span, input }: RunReplay): Promise<Sent> {
  const { traceId, spanId, step } = await asked<ReplayStarted>({ catalog }, { block: 'steps', path: '/replay', body: { span, input } });
  return { outcome: { kind: 'replay', step, spanId }, traceId };
}

type Question = { readonly block: string; readonly path: string; readonly method?: 'POST' | 'PUT'; readonly params?: Readonly<Record<string, string>>; readonly body: unknown };

async function asked<T>({ catalog }: Pick<Surroundings, 'catalog'>, { method = 'POST', ...question }: Question): Promise<T> {
  if (!blockRoute(catalog, question.block, method, question.path)) throw missing(question.block);
  return await askModule<T>(catalog, { method, ...question }) as T;
}

function missing(block: string): Refusal {
  return new Refusal(404, 'module_not_loaded', `this engine has no ${block} module`);
}
