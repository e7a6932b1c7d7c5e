import type { AdminError, AdminRequest, AdminRoutes, DeadLetterReason, PeekedDelivery, SubscriptionKey } from '@treadle/api';
import type { MapQueue } from '@treadle/testing';
import { expect } from 'chai';
import { addQueueRoutes, type QueueAdminParts } from './queue-admin.js';
import { MOST_EXAMINED } from './message-search.js';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const HISTORY = JSON.stringify([{ at: '2026-11-27T11:00:00.000Z', attempt: 1, code: 'unhandled_exception', name: 'MailError', message: 'no such mailbox', ms: 3 }]);

type Given = Partial<PeekedDelivery> & { readonly payload?: unknown };
type Handle = (request: AdminRequest) => Promise<unknown>;
type Found = { readonly items: readonly { readonly messageId: string }[]; readonly examined?: number; readonly cursor?: string; readonly headOnly?: true };

function message(number: number, { payload = {}, ...given }: Given = {}): PeekedDelivery {
  return {
    step: 'Mail', topic: 'mail', deliveryId: number, messageId: `m-${number}`, kind: 'queue', data: JSON.stringify(payload), headers: undefined, traceparent: `00-${TRACE}-b7ad6b7169203331-01`, hops: 0,
    enqueuedAt: NOW - 60_000 * number, groupId: undefined, progress: { attempts: 0, deaths: 0, history: '' }, active: false, ...given,
  };
}

/** A store that has these, page by page as its contract says. */
function asked(messages: readonly PeekedDelivery[], { lacks = [] }: Pick<QueueAdminParts['capabilities'], 'lacks'> = {}) {
  const of = (key: SubscriptionKey) => messages.filter((one) => one.step === key.step && one.topic === key.topic);
  const letters = [...messages].reverse().map((one) => ({ ...one, id: `l-${one.deliveryId}`, reason: 'max_attempts' as DeadLetterReason, deadAt: one.enqueuedAt + 1_000 }));
  const adapter = {
    peek: (key: SubscriptionKey, limit: number, after = 0) => Promise.resolve(of(key).filter(({ deliveryId }) => deliveryId > after).slice(0, limit)),
    deadLetters: (_selection: object, { limit, cursor = '0' }: { readonly limit: number; readonly cursor?: string }) => {
      const to = Number(cursor) + limit;
      return Promise.resolve({ items: letters.slice(Number(cursor), to), ...to < letters.length && { cursor: String(to) } });
    },
  } as unknown as MapQueue;
  const steps = [...new Set(messages.map(({ step }) => step))].map((step) => ({ step, topic: 'mail' }));
  const service = { subscriptions: { all: () => steps } } as unknown as QueueAdminParts['service'];
  const handlers = new Map<string, Handle>();
  const routes = { get: (path: string, handle: Handle) => void handlers.set(path, handle), post: () => undefined } as unknown as AdminRoutes;
  addQueueRoutes(routes, { service, adapter, clock: { now: () => NOW } as QueueAdminParts['clock'], capabilities: { lacks } });
  return (path: string, query: Readonly<Record<string, string>>): Promise<Found> =>
    handlers.get(path)?.({ params: {}, query, body: undefined }).catch((error: AdminError) => { throw new Error(`${error.status} ${error.code}: ${error.message}`); }) as Promise<Found>;
}

const SEVERAL = [
  message(1, { payload: { customer: { id: 'c-1' }, total: 250, id: 'order-1' }, groupId: 'g-1' }), message(2, { active: true, payload: { lines: [{ sku: 'a' }, { sku: 'b' }] } }),
  message(3, { progress: { attempts: 2, deaths: 0, history: HISTORY }, headers: '{"tenant":"acme"}' }), message(4, { step: 'Audit', payload: 'zürich', traceparent: '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
];

describe('a search for messages', () => {
  const cases: readonly (readonly [q: string, found: readonly number[]])[] = [
    ['', [4, 1, 2, 3]], ['id:m-1', [1]], ['data.id:order-1', [1]], ['customer.id:c-1', [1]], ['total:>100', [1]], ['lines.sku:b', [2]], ['group:g-*', [1]], ['attempt:>=1', [3]], ['state:active', [2]],
    ['has:error', [3]], ['error:*mailbox', [3]], ['"no such mailbox"', [3]], ['headers.tenant:acme', [3]], ['step:Audit', [4]], ['zürich', [4]], [`trace:${TRACE} -state:active`, [1, 3]], ['age:>=3m', [4, 3]],
    ['time:>=2026-11-27T11:58Z', [1, 2]], ['time:2026-11-27T11:56*', [4]], ['state:waiting OR attempt:2', [4, 1, 3]], ['topic:other', []],
  ];
  for (const [q, found] of cases) {
    it(`finds by ${q === '' ? 'an empty query' : q}`, async () => {
      const { items, examined, cursor } = await asked(SEVERAL)('/search', { topic: 'mail', q });
      expect([items.map(({ messageId }) => messageId), examined, cursor]).to.deep.equal([found.map((number) => `m-${number}`), 4, undefined]);
    });
  }

  it('takes those of a state, and those of a consumer', async () => {
    const ask = asked(SEVERAL);
    expect((await ask('/search', { topic: 'mail', state: 'retrying' })).items).to.have.length(1);
    expect((await ask('/search', { topic: 'mail', step: 'Audit' })).items[0]).to.deep.include({ messageId: 'm-4', step: 'Audit', attempts: 0, data: 'zürich' });
  });

  it('goes on behind the last one that it found, also at the next consumer', async () => {
    const ask = asked(SEVERAL);
    const pages: Found[] = [];
    do pages.push(await ask('/search', { topic: 'mail', limit: '1', ...pages.at(-1) && { cursor: pages.at(-1)?.cursor ?? '' } }));
    while (pages.at(-1)?.cursor !== undefined);
    expect(pages.flatMap(({ items }) => items.map(({ messageId }) => messageId))).to.deep.equal(['m-4', 'm-1', 'm-2', 'm-3']);
    expect(pages.reduce((sum, { examined = 0 }) => sum + examined, 0)).to.equal(4);
  });

  it('looks at a part of many at a time, and goes on where it stopped', async () => {
    const many = asked(Array.from({ length: MOST_EXAMINED + 30 }, (_, at) => message(at + 1)));
    const first = await many('/search', { topic: 'mail', q: `id:m-${MOST_EXAMINED + 7}` });
    expect([first.items, first.examined]).to.deep.equal([[], MOST_EXAMINED]);
    const rest = await many('/search', { topic: 'mail', q: `id:m-${MOST_EXAMINED + 7}`, cursor: first.cursor ?? '' });
    expect([rest.items.length, rest.examined, rest.cursor]).to.deep.equal([1, 30, undefined]);
  });

  it('says where the store shows the head alone', async () => {
    expect(await asked(SEVERAL, { lacks: ['pages'] })('/search', { topic: 'mail' })).to.include({ headOnly: true });
  });

  const refused: readonly (readonly [query: Readonly<Record<string, string>>, says: string])[] = [
    [{ topic: 'mail', q: 'attempt:many' }, '400 invalid_query: "attempt" is a number'], [{ topic: 'mail', q: 'time:yesterday' }, '400 invalid_query: "time" is a time such as 2026-11-27T10:30Z, or 2026-11-27* for all of a day'],
    [{ topic: 'mail', state: 'done' }, '400 invalid_argument: state must be one of waiting, active, retrying, got "done"'], [{ topic: 'mail', cursor: 'x' }, '400 invalid_argument: cursor must be one that a former page gave'],
  ];
  for (const [query, says] of refused) {
    it(`refuses ${JSON.stringify(query)}`, async () => expect(await asked(SEVERAL)('/search', query).catch((error: Error) => error.message)).to.equal(says));
  }
});

describe('a search for dead letters', () => {
  it('finds by what failed and what they carry, and says at how many it looked', async () => {
    const ask = asked(SEVERAL);
    for (const [q, found] of [['error:MailError*', ['m-3']], ['customer.id:c-1', ['m-1']], ['state:dead reason:max_attempts', ['m-4', 'm-3', 'm-2', 'm-1']], ['age:<90s', ['m-1']]] as const) {
      const { items, examined, cursor } = await ask('/dead-letters', { q });
      expect([items.map(({ messageId }) => messageId), examined, cursor], q).to.deep.equal([found, 4, undefined]);
    }
  });

  it('goes on behind the last one that it found', async () => {
    const ask = asked(Array.from({ length: 350 }, (_, at) => message(at + 1, { payload: { even: at % 2 } })));
    const pages: Found[] = [];
    do pages.push(await ask('/dead-letters', { q: 'even:1', limit: '60', ...pages.at(-1) && { cursor: pages.at(-1)?.cursor ?? '' } }));
    while (pages.at(-1)?.cursor !== undefined);
    expect(pages.map(({ items, examined }) => [items.length, examined])).to.deep.equal([[60, 119], [60, 120], [55, 111]]);
    expect(new Set(pages.flatMap(({ items }) => items.map(({ messageId }) => messageId))).size).to.equal(175);
  });

  it('finds the dead letters of one group by its fingerprint, beyond the first page, and none of a group that begins alike', async () => {
    const died = (text: string) => ({ progress: { attempts: 1, deaths: 0, history: JSON.stringify([{ at: '2026-11-27T11:00:00.000Z', attempt: 1, code: 'unhandled_exception', name: 'PayError', message: text, ms: 3 }]) } });
    const ask = asked(Array.from({ length: 300 }, (_, at) => message(at + 1, at < 2 ? { ...died(`payment provider answered ${400 + at}: card declined`), payload: { at } } : died(`payment provider answered ${500 + at}: down for maintenance`))));
    const { items } = await ask('/dead-letters/groups', {}) as unknown as { items: { fingerprint: string; count: number }[] };
    expect(items.map(({ count }) => count)).to.deep.equal([298, 2]);
    const few = { fingerprint: items[1]?.fingerprint ?? '' };
    expect((await ask('/dead-letters', few)).items.map(({ messageId }) => messageId)).to.deep.equal(['m-2', 'm-1']);
    expect((await ask('/dead-letters', { ...few, q: 'at:1' })).items.map(({ messageId }) => messageId)).to.deep.equal(['m-2']);
    expect((await ask('/dead-letters', { fingerprint: 'none' })).items).to.deep.equal([]);
  });
});
