import { setImmediate as turn } from 'node:timers/promises';
import { type AdminRequest, type Clock, invalidArgument, limitArgument, type PeekedDelivery, type QueueAdapter, type QueueCapabilities, type SubscriptionKey } from '@treadle/api';
import type { QueueService } from '../queue-service.js';
import { MAX_LIMIT } from './admin-arguments.js';
import { askedMessage, messageQuery } from './message-target.js';
import { shownMessage } from './shown-message.js';

/** Most messages that one question looks at. */
export const MOST_EXAMINED = 5_000;
/** Most characters of payload that it looks at and answers with; one message more where that is larger. */
const MOST_LENGTH = 16_000_000;
/** Messages that are in memory together: each may be of the greatest size. */
const PAGE = 100;
const DEFAULT_FOUND = 100;
const STATES = ['waiting', 'active', 'retrying'] as const;

/** What a search found, and how far it came. */
export interface MessagesFound {
  readonly items: readonly object[];
  /** Messages that were looked at. */
  readonly examined: number;
  /** Where the next search goes on; absent at the end. */
  readonly cursor?: string;
  /** The store shows what waits from its head alone: there may be more. */
  readonly headOnly?: true;
}

interface Parts {
  readonly service: QueueService;
  readonly adapter: QueueAdapter;
  readonly clock: Clock;
  readonly capabilities: Pick<QueueCapabilities, 'lacks'>;
}

interface Place {
  readonly step: string;
  readonly after: number;
}

/**
 * `GET /queues/search`: messages of a topic (without one: changes of state and streams) that are not done, of one consumer after the other and each in its order, by where they stand and a query. Ends early where it has looked
 * at much; a turn of the event loop reads one page.
 */
export async function searchMessages({ service, adapter, clock, capabilities }: Parts, query: AdminRequest['query']): Promise<MessagesFound> {
  const search: Search = { fits: testOf(query, clock.now()), limit: limitArgument(query['limit'], DEFAULT_FOUND, MAX_LIMIT), room: MOST_LENGTH, examined: 0, items: [] };
  const begin = placeOf(query['cursor']);
  for (const key of consumersOf(service, query)) {
    if (begin && key.step < begin.step) continue;
    const stopped = await lookAt(search, adapter, key, begin?.step === key.step ? begin.after : undefined);
    if (stopped !== undefined) return { items: search.items, examined: search.examined, cursor: `${stopped} ${key.step}` };
  }
  return { items: search.items, examined: search.examined, ...capabilities.lacks?.includes('pages') === true && { headOnly: true } };
}

/** Gives the id behind which it is to go on where the search has enough before the end. */
async function lookAt(search: Search, adapter: QueueAdapter, key: SubscriptionKey, from: number | undefined): Promise<number | undefined> {
  let after = from;
  for (let page = await adapter.peek(key, PAGE, after); page.length > 0; page = await adapter.peek(key, PAGE, after)) {
    for (const message of page) {
      if (isFull(search)) return after ?? 0;
      look(search, message);
      after = message.deliveryId;
    }
    await turn();
  }
  return undefined;
}

interface Search {
  readonly fits: (message: PeekedDelivery) => boolean;
  readonly limit: number;
  readonly items: object[];
  room: number;
  examined: number;
}

function isFull({ items, limit, examined, room }: Search): boolean {
  return items.length === limit || examined === MOST_EXAMINED || room <= 0;
}

function look(search: Search, message: PeekedDelivery): void {
  search.examined += 1;
  search.room -= message.data.length;
  if (search.fits(message)) search.items.push(shownMessage(message));
}

function testOf({ q, state }: AdminRequest['query'], now: number): (message: PeekedDelivery) => boolean {
  if (state !== undefined && !STATES.some((one) => one === state)) throw invalidArgument(`state must be one of ${STATES.join(', ')}, got ${JSON.stringify(state)}`);
  const asked = messageQuery(q, now);
  return (message) => {
    const is = message.active ? 'active' : message.progress.attempts > 0 ? 'retrying' : 'waiting';
    return (state === undefined || state === is) && (!asked || asked.test(askedMessage(is, message)));
  };
}

/** In the order of their names, in which a cursor stands. */
function consumersOf({ subscriptions }: QueueService, query: AdminRequest['query']): readonly SubscriptionKey[] {
  const { topic = '' } = query;
  const keys = subscriptions.all().filter((one) => one.topic === topic && (query['step'] === undefined || one.step === query['step']));
  return keys.map(({ step }) => ({ step, topic })).sort((a, b) => (a.step < b.step ? -1 : 1));
}

function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [, after, step] = /^(\d{1,16}) (.+)$/s.exec(cursor) ?? [];
  if (after === undefined || step === undefined) throw invalidArgument('cursor must be one that a former page gave');
  return { after: Number(after), step };
}
