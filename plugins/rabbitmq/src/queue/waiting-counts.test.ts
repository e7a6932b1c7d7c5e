import { OperationError } from '@treadle/api';
import { errorOf, fakeClock } from '@treadle/testing';
import type { ChannelModel } from 'amqplib';
import { expect } from 'chai';
import { Lane } from './lane.js';
import type { LaneParts } from './lane-parts.js';
import { WaitingCounts } from './waiting-counts.js';

const WAITING = 3;
const nothing = async (): Promise<void> => undefined;

/** A connection whose queues have some messages. */
const CONNECTION = {
  createChannel: async () => ({ on: () => undefined, assertQueue: async () => ({ messageCount: WAITING, consumerCount: 0 }), bindQueue: nothing, prefetch: nothing }),
} as unknown as ChannelModel;

/** A server whose first questions fail with these errors. */
function partsThatFail(...errors: Error[]): LaneParts {
  return {
    exchange: 'treadle.test', arguments: {}, prefetch: 10, number: () => 1, adopt: nothing, keepForeign: nothing, isCarried: () => true, due: () => undefined,
    ask: async (question) => {
      const error = errors.shift();
      if (error) throw error;
      return question(CONNECTION);
    },
  };
}

const KEY = { step: 'Bake', topic: 'bread' };
const unavailable = (): Error => new OperationError('StorageUnavailable', 'the connection was closed');

/** How many wait, as is learnt before a message is sent. */
async function learnt(...errors: Error[]): Promise<number> {
  const lane = new Lane(KEY, partsThatFail(...errors));
  const counts = new WaitingCounts({ store: { statistics: async () => [] }, clock: fakeClock(0), lane: () => lane, isCarried: () => true });
  await counts.learn(KEY, 100);
  return counts.of(KEY);
}

describe('the counts of queues on RabbitMQ', () => {
  it('are asked for again when the connection is lost over the question', async () => {
    expect(await learnt(unavailable())).to.equal(WAITING);
  });

  it('fail where the server is away, or refuses it', async () => {
    expect(await errorOf(learnt(unavailable(), unavailable()))).to.include({ code: 'StorageUnavailable' });
    expect(await errorOf(learnt(new OperationError('StorageFailed', 'no')))).to.include({ code: 'StorageFailed' });
  });
});
