import type { StateAdapter, StreamAdapter } from '@treadle/api';
import { expect } from 'chai';
import { killedAfter } from '../suite/killed-process.js';
import type { QueueTests } from './queue-under-test.js';

const CHILD = new URL('./kill-committer-child.js', import.meta.url);
/** Of each round: more than a process commits until its kill reaches it. */
const MESSAGES = 500;

/** All of a commit is there after its process was killed, or nothing. */
export function commitKillTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.durable || !declared.commit.includes('state') || !declared.commit.includes('stream')) return;
  suite.test('keeps all of a commit or nothing when its process is killed', () => withFresh(async (queue) => {
    let messages = 0;
    await queue.subscribe('t', 'a');
    await queue.subscribe('next', 'b');
    let reported = 0;
    for (const round of [1, 2]) {
      await queue.enqueueBatch(Array.from({ length: MESSAGES }, () => ({})));
      messages += MESSAGES;
      await queue.stop();
      reported += (await killedAfter(15 * round, CHILD, { ...queue.options, round })).length;
      await queue.clock.advance(declared.takeOverMs);
      await queue.start();
      const left = (await queue.statisticsOf('a'))?.waiting ?? 0;
      const { value: count } = await queue.beside<StateAdapter>('state').get('g', 'counter') ?? { value: 0 };
      const { value: shown } = await queue.beside<StreamAdapter>('stream').get({ stream: 'orders', groupId: 'all' }, 'i') ?? { value: 0 };
      const next = (await queue.statisticsOf('b', 'next'))?.waiting;
      expect([count, shown, next], 'counter, item, messages').to.deep.equal([messages - left, messages - left, messages - left]);
      expect(messages - left, 'acknowledged').to.be.at.least(reported);
    }
    expect(reported).to.be.at.least(45);
  }));
}
