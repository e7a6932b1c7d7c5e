import {
  AdminError, type AdminHandle, type AdminRequest, type AdminRoutes, type Clock, invalidArgument, limitArgument, OperationError, type QueueAdapter, type QueueCapabilities, type QueueMessage,
  refuseUnknownMembers, type StoredSubscription, type SubscriptionStatistics,
} from '@treadle/api';
import { discardLetters, type LetterRoutes, listIds, listLetters, readLetter, redriveLetters, selectionOf } from '../dead-letters/dead-letter-admin.js';
import { letterGroups } from '../dead-letters/letter-groups.js';
import { MAX_LIMIT, subscriptionOf, textOf } from './admin-arguments.js';
import { searchMessages } from './message-search.js';
import { shownMessage } from './shown-message.js';
import type { QueueService } from '../queue-service.js';
import { subscriptionId } from '../subscriptions/step-subscriptions.js';

/** What the routes work with. */
export interface QueueAdminParts {
  readonly service: QueueService;
  readonly adapter: QueueAdapter;
  readonly clock: Clock;
  readonly capabilities: Pick<QueueCapabilities, 'lacks'>;
}

const SUBSCRIPTION = ['step', 'topic'];
const FILTER = [...SUBSCRIPTION, 'reason'];
/** Arguments that choose dead letters where something becomes of them. */
const SELECTION = [...FILTER, 'ids', 'all'];

/** The queue's part of the Admin API. */
export function addQueueRoutes(routes: AdminRoutes, parts: QueueAdminParts): void {
  const { service } = parts;
  const letters: LetterRoutes = parts;
  const get = (path: string, takes: Takes, [summary, handle]: Described): void => routes.get(path, refusing(handle), takes, summary);
  const post = (path: string, takes: Takes, [summary, handle]: Described): void => routes.post(path, refusing(handle), takes, summary);
  get('/', [], ['Subscriptions with what waits in them', () => overview(parts)]);
  get('/rates', ['windowMs'], ['Messages a second that come and go, by subscription', ({ query }) => rates(parts, query['windowMs'])]);
  get('/messages', [...SUBSCRIPTION, 'limit'], ['The next messages of a subscription', ({ query }) => peek(parts, query)]);
  get('/search', ['topic', 'step', 'state', 'q', 'limit', 'cursor'], ['Messages of a topic that wait, run or are to be tried again, by a query', ({ query }) => searchMessages(parts, query)]);
  post('/messages', undefined, ['Enqueues one message, or several as "messages"', (request) => publish(service, request)]);
  post('/pause', SUBSCRIPTION, ['Stops deliveries of a Step, or of one of its topics', ({ body }) => pause(service, body, true)]);
  post('/resume', SUBSCRIPTION, ['Goes on with deliveries', ({ body }) => pause(service, body, false)]);
  post('/purge', SUBSCRIPTION, ['Removes what waits', ({ body }) => purge(parts, body)]);
  get('/dead-letters', [...FILTER, 'fingerprint', 'q', 'limit', 'cursor'], ['Dead letters, the latest first', ({ query }) => listLetters(letters, query)]);
  get('/dead-letters/groups', FILTER, ['Dead letters by how they failed, the most frequent first', ({ query }) => letterGroups(parts.adapter, selectionOf(query))]);
  get('/dead-letters/ids', [...FILTER, 'fingerprint', 'q'], ['Ids of dead letters, the latest first; at most 100,000', ({ query }) => listIds(letters, query)]);
  get('/dead-letters/:id', [], ['One dead letter', ({ params }) => readLetter(letters, String(params['id']))]);
  post('/dead-letters/redrive', [...SELECTION, 'toStep', 'data'], ['Delivers dead letters again', ({ body }) => redriveLetters(letters, body)]);
  post('/dead-letters/discard', SELECTION, ['Removes dead letters', ({ body }) => discardLetters(letters, body)]);
}

/** Names of a route's arguments; undefined where the route sees to them itself. */
type Takes = readonly string[] | undefined;
type Described = readonly [summary: string, handle: AdminHandle];

/** What the queue or its adapter refuses is the client's to hear. */
const refusing = (handle: AdminHandle): AdminHandle => async (request) => {
  try {
    return await handle(request);
  } catch (error) {
    throw error instanceof OperationError ? refusal(error) : error;
  }
};

async function overview({ service, adapter, clock }: QueueAdminParts): Promise<unknown> {
  const [statistics, unrouted, dead] = await Promise.all([adapter.statistics(), adapter.unrouted(), adapter.deadLetterCounts()]);
  const byId = new Map(statistics.map((one) => [subscriptionId(one), one]));
  const now = clock.now();
  return {
    items: service.subscriptions.all().map((stored) => describe(stored, byId.get(subscriptionId(stored)), now)),
    gone: dead.filter((key) => !service.subscriptions.get(key)).map(({ step, topic, count }) => ({ step, topic, dead: count })),
    unrouted: unrouted.map(({ topic, count, oldest }) => ({ topic, count, oldestAgeMs: Math.max(0, now - oldest) })),
  };
}

function describe({ step, topic, application, paused, fifo }: StoredSubscription, is: SubscriptionStatistics | undefined, now: number): unknown {
  const { waiting = 0, delayed = 0, retrying = 0, active = 0, dead = 0, oldest } = is ?? {};
  const age = oldest === undefined ? {} : { oldestAgeMs: Math.max(0, now - oldest) };
  return { step, topic, application, paused, fifo, waiting, delayed, retrying, active, dead, ...age };
}

async function rates({ service, adapter }: QueueAdminParts, windowMs: string | undefined): Promise<unknown> {
  return service.rates.read(service.subscriptions.all(), await adapter.statistics(), windowMs);
}

async function peek({ service, adapter }: QueueAdminParts, query: AdminRequest['query']): Promise<unknown> {
  const key = subscriptionOf(service.subscriptions.all(), query);
  const items = await adapter.peek(key, limitArgument(query['limit'], 20, MAX_LIMIT));
  return { items: items.map(shownMessage) };
}

/** A message, or several as `messages`; what a message may hold is checked with it. `unrouted`: topics of theirs that nobody consumes. */
async function publish(service: QueueService, request: AdminRequest): Promise<unknown> {
  const { messages: several } = (request.body ?? {}) as { readonly messages?: readonly QueueMessage[] };
  if (several) refuseUnknownMembers(request, ['messages']);
  const messages = several ?? [request.body as QueueMessage];
  const origin = service.newOrigin();
  const ids = await service.enqueue(messages, origin);
  const unrouted = [...new Set(messages.map(({ topic }) => topic))].filter((topic) => !service.subscriptions.hasTopic(topic));
  return { messageIds: ids.map(({ messageId }) => messageId), traceId: origin.traceId, ...unrouted.length > 0 && { unrouted } };
}

/** Without a Step: what lies in the topic because nobody consumes it. */
async function purge({ service, adapter }: QueueAdminParts, body: unknown): Promise<unknown> {
  const { step, topic } = (body ?? {}) as { readonly step?: unknown; readonly topic?: unknown };
  if (step !== undefined) return { purged: await adapter.purge(subscriptionOf(service.subscriptions.all(), body)) };
  if (typeof topic !== 'string' || topic === '') {
    throw invalidArgument('name a "step", or a "topic" alone for what lies in it without a subscriber');
  }
  const steps = service.subscriptions.all().filter((one) => one.topic === topic).map((one) => one.step);
  if (steps.length > 0) {
    throw invalidArgument(`topic "${topic}" is consumed by ${steps.join(', ')}: name the Step whose messages are meant as "step"`);
  }
  const purged = await adapter.purge({ step: '', topic });
  if (purged === 0) throw new AdminError(404, 'not_found', `nothing lies in topic "${topic}" without a subscriber`);
  return { purged };
}

function refusal({ code, message }: OperationError): AdminError {
  if (code === 'QueueFull') return new AdminError(503, 'queue_full', message);
  if (code === 'StorageFull') return new AdminError(503, 'storage_full', message);
  if (code === 'QueueInvalidArgument' || code === 'InvalidValue') return invalidArgument(message);
  if (code === 'CAPABILITY_UNSUPPORTED') return new AdminError(422, 'unsupported', message);
  return new AdminError(503, 'storage_unavailable', message);
}

/** Without a topic: all subscriptions of the Step. */
async function pause(service: QueueService, body: unknown, paused: boolean): Promise<unknown> {
  const step = textOf(body, 'step');
  const { topic } = body as { readonly topic?: unknown };
  const keys = topic === undefined
    ? service.subscriptions.all().filter((one) => one.step === step)
    : [subscriptionOf(service.subscriptions.all(), body)];
  if (keys.length === 0) throw new AdminError(404, 'not_found', `Step "${step}" has no subscription`);
  await Promise.all(keys.map((key) => service.subscriptions.pause(key, paused)));
  return { step, topics: keys.map((key) => key.topic), paused };
}
