import { type AdminError, type AdminRequest, type AdminRoutes, type Json, type StateItem, StatePort } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { expect } from 'chai';
import fc from 'fast-check';
import state from './index.js';
import { addSearchRoutes, type StateBranch, type StateFound, type StateTree } from './search-routes.js';
import { MOST_EXAMINED } from './state-scan.js';

const YAML = `
engine: { implicit_modules: false }
modules: [{ class: modules::state::StateModule, config: { adapter: { class: modules::state::adapters::KvStore } } }]
`;

type Handle = (request: AdminRequest) => Promise<unknown>;

/** The routes over a state. */
function routesOf(port: Pick<StatePort, 'list'>): <T>(path: 'search' | 'tree', group: string, query?: Readonly<Record<string, string>>) => Promise<T> {
  const handlers = new Map<string, Handle>();
  const nothing = (): void => undefined;
  addSearchRoutes({ get: (path: string, handle: Handle) => void handlers.set(path, handle), post: nothing, put: nothing, delete: nothing, events: nothing } as AdminRoutes, port);
  return (path, group, query = {}) => handlers.get(`/groups/:group/${path}`)?.({ params: { group }, query, body: undefined }).catch((error: AdminError) => `${error.status} ${error.code}: ${error.message}`) as never;
}

describe('a search in state', () => {
  let test: TestComposition;
  let ask: ReturnType<typeof routesOf>;
  before(async () => {
    test = await createTestComposition({ builtins: [state, keyv], yaml: YAML });
    const port = test.engine.port(StatePort) as StatePort;
    ask = routesOf(port);
    const values: Readonly<Record<string, Json>> = {
      'c-1': { name: 'Zoë Ash', tags: ['new', 'VIP'], address: { city: 'Bern' }, total: 12 }, 'c-2': { name: 'Bo', tags: [], address: { city: 'Basel' }, total: 250 },
      'c-3': { lines: [{ sku: 'a' }, { sku: 'b' }], 'a.b': 7 }, count: 41, word: 'hello',
    };
    for (const [key, value] of Object.entries(values)) await port.set('customers', key, value);
    for (const key of ['orders:2025:1', 'orders:2026:1', 'orders:2026:2', 'orders', 'users/1', 'plain']) await port.set('tree', key, 1);
  });
  after(() => test.stop());

  const cases: readonly (readonly [q: string, keys: readonly string[]])[] = [
    ['', ['c-1', 'c-2', 'c-3', 'count', 'word']], ['zoë', ['c-1']], ['tags:vip', ['c-1']], ['address.city:B*', ['c-1', 'c-2']], ['total:>100', ['c-2']], ['has:total -total:12', ['c-2']], ['lines.sku:b', ['c-3']],
    ['a.b:7', ['c-3']], ['value:41', ['count']], ['key:c-* OR value:hello', ['c-1', 'c-2', 'c-3', 'word']], ['revision:1 "hello"', ['word']], ['nobody', []],
  ];
  for (const [q, keys] of cases) {
    it(`finds by ${q === '' ? 'an empty query' : q}, and says at how many keys it looked`, async () => {
      const { items, examined, cursor } = await ask<StateFound>('search', 'customers', { q });
      expect([items.map(({ key }) => key), examined, cursor]).to.deep.equal([keys, 5, undefined]);
    });
  }

  it('goes on behind the last key that it found', async () => {
    const first = await ask<StateFound>('search', 'customers', { q: 'key:*c*', limit: '2' });
    expect([first.items.map(({ key }) => key), first.examined]).to.deep.equal([['c-1', 'c-2'], 2]);
    const rest = await ask<StateFound>('search', 'customers', { q: 'key:*c*', limit: '2', cursor: first.cursor ?? '' });
    expect([rest.items.map(({ key }) => key), rest.examined, rest.cursor]).to.deep.equal([['c-3', 'count'], 3, undefined]);
  });

  it('refuses what cannot be read', async () => {
    expect(await ask('search', 'customers', { q: 'revision:many' })).to.equal('400 invalid_query: "revision" is a number');
    expect(await ask('search', 'customers', { limit: '0' })).to.equal('400 invalid_argument: limit must be a whole number from 1 to 1000, got "0"');
    expect(await ask('search', 'customers', { cursor: 'x' })).to.equal('400 invalid_argument: cursor must be one that a former page gave');
    expect(await ask('tree', 'customers', { separators: '01234567890' })).to.equal('400 invalid_argument: separators must be at most 10 characters');
  });

  it('leaves no key out when others go while it is looking', async () => {
    const keys = ['a', 'b', 'c', 'd'];
    let reads = 0;
    const many = routesOf({
      list: async (_group, { cursor = '', limit = 100 } = {}) => {
        if (reads === 1) keys.shift();
        reads += 1;
        const found = keys.filter((key) => key > cursor);
        const items = found.slice(0, limit).map((key) => ({ key, value: 1, revision: 1 }));
        return Promise.resolve({ items, ...found.length > limit && { cursor: items.at(-1)?.key ?? '' } });
      },
    });
    const first = await many<StateFound>('search', 'g', { limit: '2' });
    expect(first.items.map(({ key }) => key)).to.deep.equal(['a', 'b']);
    const rest = await many<StateFound>('search', 'g', { limit: '2', cursor: first.cursor ?? '' });
    expect(rest.items.map(({ key }) => key)).to.deep.equal(['c', 'd']);
  });

  it('looks at no more keys than it may in one question', async () => {
    const items: readonly StateItem[] = Array.from({ length: MOST_EXAMINED + 500 }, (_, at) => ({ key: `k:${at}`, value: at, revision: 1 }));
    const many = routesOf(listing(items));
    const { examined, cursor, items: found } = await many<StateFound>('search', 'g', { q: `value:${MOST_EXAMINED + 1}` });
    expect([examined, found.length, typeof cursor]).to.deep.equal([MOST_EXAMINED, 0, 'string']);
    expect(await many<StateFound>('search', 'g', { q: `value:${MOST_EXAMINED + 1}`, cursor: cursor ?? '' })).to.deep.include({ examined: 500, items: [items[MOST_EXAMINED + 1]] });
    expect(await many('tree', 'g')).to.deep.include({ examined: MOST_EXAMINED, items: [{ prefix: 'k:', keys: MOST_EXAMINED }] });
  });

  it('reads one page in a turn of the event loop, whatever the store', async () => {
    const items: readonly StateItem[] = Array.from({ length: 5_500 }, (_, at) => ({ key: `k:${at}`, value: at, revision: 1 }));
    const { list } = listing(items);
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    for (const path of ['search', 'tree'] as const) {
      const reads: number[] = [];
      const noted: typeof list = (...given) => {
        reads.push(turns);
        return list(...given);
      };
      await routesOf({ list: noted })(path, 'g', path === 'search' ? { q: 'nothing' } : {});
      expect(reads).to.have.length(6);
      expect(new Set(reads).size, `${path}: ${reads.join()}`).to.equal(reads.length);
    }
    running = false;
  });

  it('ends an answer with large values early', async () => {
    const items: readonly StateItem[] = Array.from({ length: 30 }, (_, at) => ({ key: `k:${at}`, value: 'x'.repeat(900_000), revision: 1 }));
    const first = await routesOf(listing(items))<StateFound>('search', 'g', { q: 'x', limit: '1000' });
    expect([first.items.length, first.examined, first.cursor]).to.deep.equal([4, 4, '4']);
    const value = 'x'.repeat(4_500_000);
    const huge = await routesOf(listing(items.slice(0, 3).map((item) => ({ ...item, value }))))<StateFound>('search', 'g', { q: 'x' });
    expect([huge.items.length, huge.cursor]).to.deep.equal([1, '1']);
  });

  it('shows keys by what they begin with, level by level', async () => {
    expect(await ask('tree', 'tree')).to.deep.equal({ examined: 6, items: [{ prefix: 'orders', keys: 1, key: 'orders' }, { prefix: 'orders:', keys: 3 }, { prefix: 'plain', keys: 1, key: 'plain' }, { prefix: 'users/', keys: 1, key: 'users/1' }] });
    expect(await ask('tree', 'tree', { prefix: 'orders:' })).to.deep.equal({ examined: 3, items: [{ prefix: 'orders:2025:', keys: 1, key: 'orders:2025:1' }, { prefix: 'orders:2026:', keys: 2 }] });
    expect((await ask<StateTree>('tree', 'tree', { separators: '/' })).items.map(({ prefix }) => prefix)).to.include('orders:2025:1');
    const items = ['a\u{1F601}b', 'a\u{1F600}b'].map((key): StateItem => ({ key, value: 1, revision: 1 }));
    expect((await routesOf(listing(items))<StateTree>('tree', 'g', { separators: '\u{1F600}' })).items.map(({ prefix }) => prefix)).to.deep.equal(['a\u{1F601}b', 'a\u{1F600}']);
  });

  it('counts each key once in the tree, wherever pages end', async () => {
    const key = fc.array(fc.constantFrom('a', 'b', ':', '/'), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    await fc.assert(fc.asyncProperty(fc.uniqueArray(key, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), async (keys, limit) => {
      const items = [...keys].sort().map((name) => ({ key: name, value: 0, revision: 1 }));
      const seen: StateBranch[] = [];
      let cursor: string | undefined;
      do {
        const page: StateTree = await routesOf(listing(items))('tree', 'g', { limit: String(limit), ...cursor !== undefined && { cursor } });
        expect(page.examined).to.equal(page.items.reduce((sum, one) => sum + one.keys, 0));
        seen.push(...page.items);
        ({ cursor } = page);
      } while (cursor !== undefined);
      expect(seen.reduce((sum, one) => sum + one.keys, 0)).to.equal(keys.length);
      expect(new Set(seen.map(({ prefix }) => prefix)).size, 'no branch twice').to.equal(seen.length);
      for (const { prefix, keys: count } of seen) expect(items.filter((one) => one.key === prefix || (/[:/]$/.test(prefix) && one.key.startsWith(prefix))).length, prefix).to.equal(count);
    }));
  });
});

/** A state that lists these items, page by page. */
function listing(items: readonly StateItem[]): Pick<StatePort, 'list'> {
  return {
    list: async (_group, { cursor = '0', limit = 100, prefix = '' } = {}) => {
      const fitting = items.filter(({ key }) => key.startsWith(prefix));
      const end = Number(cursor) + limit;
      return Promise.resolve({ items: fitting.slice(Number(cursor), end), ...end < fitting.length && { cursor: String(end) } });
    },
  };
}
