import { startPeer, type Contestant } from './contestant-process.js';
import type { ItemOptions, ItemResult } from './item.js';
import { medianOf, rotate, type Entry } from './rounds.js';
import { startRedis } from './services.js';
import { startBlocks } from './treadle-blocks.js';

type StateFigures = Readonly<Record<'get' | 'set', number>>;

/** `ctx.state` with 64 operations in flight, 1,000 keys of about 200 bytes. */
export async function stateItem({ rounds, seconds }: ItemOptions): Promise<ItemResult> {
  const [everysec, always] = [await startRedis('everysec'), await startRedis('always')];
  const specs: readonly (readonly [string, string, () => Promise<Contestant>])[] = [
    ['sqlite', 'Treadle, ctx.state, full', () => startBlocks()],
    ['libsql', 'Treadle, ctx.state, full, libsql', () => startBlocks({ driver: 'libsql' })],
    ['redis', 'Redis, pipelined, AOF everysec', () => startPeer('redis-state.mjs', everysec.address)],
    ['redis-always', 'Redis, pipelined, AOF always', () => startPeer('redis-state.mjs', always.address)],
  ];
  const entries: Entry<StateFigures>[] = specs.map(([id, name]) => ({ id, name, rounds: [] }));
  const running = new Map<string, Contestant>();
  try {
    for (const [id, , start] of specs) running.set(id, await start());
    for (const id of ['sqlite', 'libsql']) await running.get(id)?.run('fill', {});
    await rotate(entries, rounds, async ({ id }) => {
      const rate = async (job: string): Promise<number> => (await (running.get(id) as Contestant).run<{ perSecond: number }>(job, { ms: seconds * 1000 })).perSecond;
      return { get: await rate('get'), set: await rate('set') };
    });
  } finally {
    await Promise.all([...running.values()].map((one) => one.stop()));
    await Promise.all([everysec.stop(), always.stop()]);
  }
  const of = (id: string): Entry<StateFigures> | undefined => entries.find((entry) => entry.id === id);
  return {
    title: 'State, 64 in flight, 1,000 keys, about 200 bytes', entries, columns: { get: 'get/s', set: 'set/s' },
    checks: [
      { what: 'state.get', value: medianOf(of('sqlite'), 'get'), unit: 'per second', atLeast: 250_000 },
      { what: 'state.set, durable', value: medianOf(of('sqlite'), 'set'), unit: 'per second', atLeast: 50_000 },
    ],
  };
}
