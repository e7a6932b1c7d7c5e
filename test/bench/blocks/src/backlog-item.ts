import type { Contestant } from './contestant-process.js';
import type { ItemOptions, ItemResult } from './item.js';
import { ratioOf, rotate, type Entry } from './rounds.js';
import { startBlocks } from './treadle-blocks.js';

const MESSAGES = 300_000;

/** The same load on an engine without and one with many messages that wait for another Step. */
export async function backlogItem({ rounds, seconds }: ItemOptions): Promise<ItemResult> {
  const entries: Entry<Readonly<Record<'perSecond' | 'cpuPerMessage', number>>>[] = [
    { id: 'empty', name: 'nothing waits', rounds: [] }, { id: 'backlog', name: '300,000 messages wait', rounds: [] },
  ];
  const running = new Map<string, Contestant>();
  try {
    for (const { id } of entries) running.set(id, await startBlocks());
    await running.get('backlog')?.run('backlog', { messages: MESSAGES });
    await rotate(entries, rounds, async ({ id }) => {
      const { perSecond, cpuPerMessage } = await (running.get(id) as Contestant)
        .run<{ perSecond: number; cpuPerMessage: number }>('throughput', { ms: seconds * 1000 });
      return { perSecond, cpuPerMessage };
    });
  } finally {
    await Promise.all([...running.values()].map((one) => one.stop()));
  }
  const change = (1 - ratioOf(entries[1], entries[0], ['perSecond', 'perSecond'])) * 100;
  return {
    title: 'Queue with a backlog', entries, columns: { perSecond: 'msgs/s', cpuPerMessage: 'CPU us/msg' },
    checks: [{ what: 'throughput lost to a backlog of 300,000', value: change, unit: '%', atMost: 10 }],
  };
}
