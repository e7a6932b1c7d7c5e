import { AdminError, type Clock, type DeadLetter, type DeadLetterReason, type DeadLetterSelection, invalidArgument, limitArgument, nearest, type QueueAdapter, traceIdOf } from '@treadle/api';
import { MAX_LIMIT } from '../admin/admin-arguments.js';
import { askedMessage, messageQuery } from '../admin/message-target.js';
import { historyEntries } from './history.js';
import { fingerprintOf, letterIds } from './letter-groups.js';
import { searchLetters } from './letter-search.js';
import { dataText } from '../publishing/message-arguments.js';
import { MAX_MESSAGE_BYTES } from '../publishing/publisher.js';
import type { QueueService } from '../queue-service.js';

/** What the routes work with. */
export interface LetterRoutes {
  readonly service: QueueService;
  readonly adapter: QueueAdapter;
  readonly clock: Clock;
}

const REASONS: readonly DeadLetterReason[] =
  ['max_attempts', 'non_retryable', 'invalid_input', 'crash_limit', 'loop_limit', 'subscription_retired'];
/** Letters of one step of a redrive or discard, so that a million of them do not stop the engine. */
const STEP = 1_000;
/** Letters that are looked up together by their ids: each may hold a message of the greatest size. */
const LOOKED_UP = 50;
/** Ids that a refusal names. */
const MOST_NAMED = 20;

/** `GET /dead-letters` */
export async function listLetters({ adapter, clock }: LetterRoutes, query: Readonly<Record<string, string>>): Promise<unknown> {
  const { cursor } = query;
  const [selection, limit] = [selectionOf(query), limitArgument(query['limit'], 50, MAX_LIMIT)];
  const fits = testOf(query, clock.now());
  const page = fits ? await searchLetters(adapter, selection, { limit, cursor, fits }) : await adapter.deadLetters(selection, { limit, cursor });
  return { ...page, items: page.items.map(describe) };
}

/** `GET /dead-letters/ids` */
export async function listIds({ adapter, clock }: LetterRoutes, query: Readonly<Record<string, string>>): Promise<unknown> {
  return letterIds(adapter, selectionOf(query), testOf(query, clock.now()));
}

/** What is asked of a letter beside its selection: to be of a group, and to fit a query. Undefined: nothing. */
function testOf({ fingerprint, q }: Readonly<Record<string, string>>, now: number): ((letter: DeadLetter) => boolean) | undefined {
  const test = messageQuery(q, now)?.test;
  if (fingerprint === undefined && test === undefined) return undefined;
  return (letter) => (fingerprint === undefined || fingerprintOf(letter) === fingerprint) && (test === undefined || test(askedMessage('dead', letter)));
}

/** `GET /dead-letters/:id` */
export async function readLetter({ adapter }: LetterRoutes, id: string): Promise<unknown> {
  const { items: [letter] } = await adapter.deadLetters({ ids: [id] }, { limit: 1 });
  if (!letter) throw noLetters([id]);
  return describe(letter);
}

/** `POST /dead-letters/redrive` */
export async function redriveLetters({ service, adapter, clock }: LetterRoutes, body: unknown): Promise<unknown> {
  const selection = chosen(body);
  const { toStep, data } = body as { readonly toStep?: unknown; readonly data?: unknown };
  if (toStep !== undefined && !service.subscriptions.all().some(({ step }) => step === toStep)) {
    throw new AdminError(404, 'not_found', `Step "${String(toStep)}" has no subscription`);
  }
  await refuseUnknownStep(service, adapter, selection);
  const text = data === undefined ? undefined : dataText(data, 'dead letters', MAX_MESSAGE_BYTES);
  const step = toStep as string | undefined;
  const notFound = await idsNotFound(adapter, selection);
  // The time of the request: what dies again while the rest is put back is not put back once more.
  const now = clock.now();
  const redriven = await inSteps((limit) => adapter.redrive({ selection, step, data: text, limit, now }));
  if (redriven === 0 && step !== undefined && await areThere(adapter, selection)) {
    throw new AdminError(404, 'not_found', `Step "${step}" consumes the topic of none of these dead letters`);
  }
  return { redriven, ...notFound };
}

/** `POST /dead-letters/discard` */
export async function discardLetters({ service, adapter }: LetterRoutes, body: unknown): Promise<unknown> {
  const selection = chosen(body);
  await refuseUnknownStep(service, adapter, selection);
  const notFound = await idsNotFound(adapter, selection);
  return { discarded: await inSteps((limit) => adapter.discard(selection, limit)), ...notFound };
}

/** A Step that is gone may have letters; one that has neither is misspelt. @throws AdminError 404 */
async function refuseUnknownStep({ subscriptions }: QueueService, adapter: QueueAdapter, { step }: DeadLetterSelection): Promise<void> {
  if (step === undefined || subscriptions.all().some((subscription) => subscription.step === step)) return;
  if (await areThere(adapter, { step })) return;
  const meant = nearest(step, subscriptions.all().map((subscription) => subscription.step));
  throw new AdminError(404, 'not_found', `Step "${step}" has neither a subscription nor dead letters${meant === undefined ? '' : `; did you mean "${meant}"?`}`);
}

async function areThere(adapter: QueueAdapter, selection: DeadLetterSelection): Promise<boolean> {
  return (await adapter.deadLetters(selection, { limit: 1 })).items.length > 0;
}

/** Those of the ids in a selection that it does not find, if there are any. @throws AdminError 404 when it finds none of them */
async function idsNotFound(adapter: QueueAdapter, selection: DeadLetterSelection): Promise<{ readonly notFound?: readonly string[] }> {
  const named = [...new Set(selection.ids)];
  const missing = new Set(named);
  for (let at = 0; at < named.length; at += LOOKED_UP) {
    const ids = named.slice(at, at + LOOKED_UP);
    const { items } = await adapter.deadLetters({ ...selection, ids }, { limit: LOOKED_UP });
    for (const { id } of items) missing.delete(id);
  }
  if (missing.size === 0) return {};
  const notFound = [...missing];
  if (notFound.length === named.length) throw noLetters(notFound);
  return { notFound };
}

function noLetters(ids: readonly string[]): AdminError {
  const shown = ids.slice(0, MOST_NAMED).map((id) => `"${id}"`).join(', ');
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  return new AdminError(404, 'not_found', `there ${ids.length === 1 ? 'is no dead letter' : 'are no dead letters'} ${shown}${more}`);
}

async function inSteps(step: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await step(STEP);
    total += count;
    if (count < STEP) return total;
  }
}

/** A selection that says something: everything only by `all: true`. */
function chosen(body: unknown): DeadLetterSelection {
  if (typeof body !== 'object' || body === null) throw invalidArgument('choose dead letters by ids, step, topic, reason or all');
  const selection = selectionOf(body);
  if (Object.keys(selection).length > 0 || (body as { readonly all?: unknown }).all === true) return selection;
  throw invalidArgument('choose dead letters by ids, step, topic, reason or all');
}

/** @throws AdminError 400 */
export function selectionOf(from: object): DeadLetterSelection {
  const { step, topic, ids, reason } = from as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries({ step, topic })) {
    if (value !== undefined && typeof value !== 'string') throw invalidArgument(`"${name}" is no text`);
  }
  if (reason !== undefined && !REASONS.includes(reason as DeadLetterReason)) {
    throw invalidArgument(`"reason" must be one of ${REASONS.join(', ')}`);
  }
  if (ids !== undefined && !(Array.isArray(ids) && ids.every((id) => typeof id === 'string'))) {
    throw invalidArgument('"ids" must be a list of texts');
  }
  return {
    ...(step !== undefined && { step: step as string }), ...(topic !== undefined && { topic: topic as string }),
    ...(ids !== undefined && { ids: ids as readonly string[] }), ...(reason !== undefined && { reason: reason as DeadLetterReason }),
  };
}

function describe(letter: DeadLetter): unknown {
  const { id, step, topic, reason, deadAt, messageId, kind, data, headers, groupId, traceparent, enqueuedAt, progress } = letter;
  return {
    id, step, topic, reason, deadAt: new Date(deadAt).toISOString(), messageId, kind, data: shownData(data),
    ...(headers !== undefined && { headers: JSON.parse(headers) as unknown }), ...(groupId !== undefined && { groupId }),
    traceId: traceIdOf(traceparent), enqueuedAt: new Date(enqueuedAt).toISOString(),
    attempts: progress.attempts, deaths: progress.deaths, errors: historyEntries(progress.history),
  };
}

/** Of a damaged store the text as it is. */
function shownData(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}
