import type { NewMessage } from '@treadle/api';
import { expect } from 'chai';
import { LIMITS, message, put, queueTables, request } from './queue-table.fixture.js';

const COUNT = 40_000;

describe('A claim after a start', () => {
  const table = queueTables();

  async function reopened(fifo: boolean, messages: readonly NewMessage[]) {
    const before = await table();
    await before.queue.changeSubscriptions([put(fifo)]);
    await before.queue.enqueueMany([messages], LIMITS);
    await before.close();
    const after = await table({ file: before.file });
    const told: string[] = [];
    await after.clock.advance(0);
    after.queue.onDue(({ step }) => void told.push(step));
    await after.clock.advance(0);
    told.length = 0;
    return { ...after, told };
  }

  const crowd = (of: Partial<NewMessage>): NewMessage[] => Array.from({ length: COUNT }, (_, index) => ({ ...message(`m${index}`), ...of }));
  const backlogs = {
    'that belongs to one fifo group': { fifo: true, messages: [...crowd({ groupId: 'g' }), message('last', 'h')], first: ['m0'] },
    'that is not due': { fifo: false, messages: [...crowd({ dueAt: 4_000_000_000_000 }), message('last')], first: [] },
  };
  for (const [name, { fifo, messages, first }] of Object.entries(backlogs)) {
    it(`looks at a backlog ${name} in several turns, and tells when there is more to claim`, async () => {
      const { queue, told, lane, leave, clock } = await reopened(fifo, messages);
      expect(queue.claimMany(request()).map(({ messageId }) => messageId)).to.deep.equal(first);
      expect(lane()['seen']).to.be.below(COUNT / 2);
      const claimed: string[] = [];
      for (let turns = 0; turns < 200 && claimed.length === 0; turns += 1) {
        await new Promise(setImmediate);
        if (told.splice(0).length > 0) claimed.push(...queue.claimMany(request()).map(({ messageId }) => messageId));
      }
      expect(claimed).to.deep.equal(['last']);
      leave();
      expect(clock.pending, 'timers of the store alone').to.equal(2);
    });
  }
});
