import { EventEmitter } from 'node:events';
import type { QueueDelivery } from '@treadle/api';
import { errorOf, type ServerProcess } from '@treadle/testing';
import { type ChannelModel, connect } from 'amqplib';
import { expect } from 'chai';
import { bench, claim, done, LIMITS, message, subscribe } from '../testing/bench.fixture.js';
import { withServer } from '../testing/kit.fixture.js';
import { LaneChannel } from './lane-channel.js';
import { queueName } from './queue-name.js';

const SHAPE = { exchange: 'x', name: 'q', arguments: {} };
const NOBODY = { pushed: () => undefined, ended: () => undefined };

withServer.describe('an error of one queue on RabbitMQ', () => {
  withServer.it('leaves the claims of others as they are', () => bench(async ({ queue, server, config }) => {
    await subscribe(queue, 'b', { topic: 'u' });
    await queue.enqueueMany([[message()]], LIMITS);
    const [held] = await claim(queue);
    await makeClassic(server, queueName(`treadle.${config.name}`, { step: 'b', topic: 'u' }));
    expect(await errorOf(queue.enqueueMany([[message({ topic: 'u' })]], LIMITS))).to.have.property('message').that.matches(/PRECONDITION_FAILED - inequivalent arg 'x-queue-type'/);
    expect(await queue.settleMany(done([held as QueueDelivery]))).to.deep.equal([true]);
  }));
});

describe('the channel of a queue', () => {
  it('is not used when the server has ended it with the last answer', async () => {
    const channel = Object.assign(new EventEmitter(), {
      assertQueue: () => Promise.resolve({ messageCount: 0 }),
      bindQueue: () => Promise.resolve(),
      close: () => Promise.resolve(),
      prefetch: () => {
        channel.emit('close');
        return Promise.resolve();
      },
    });
    const connection = { createChannel: () => Promise.resolve(channel) } as unknown as ChannelModel;
    expect(await errorOf(LaneChannel.open(connection, SHAPE, NOBODY))).to.have.property('message', 'the channel was closed');
  });
});

/** A queue that cannot be declared as one of Treadle. */
async function makeClassic(server: ServerProcess, name: string): Promise<void> {
  const connection = await connect(server.url);
  await (await connection.createChannel()).assertQueue(name, { durable: true });
  await connection.close();
}
