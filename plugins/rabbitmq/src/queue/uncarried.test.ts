import type { QueueAdapter, QueueDelivery } from '@treadle/api';
import { eventually, type ServerProcess } from '@treadle/testing';
import { connect } from 'amqplib';
import { expect } from 'chai';
import { bench, claim, done, KEY, LEASE_MS, LIMITS, message, subscribe } from '../testing/bench.fixture.js';
import { type KitConfig, withServer } from '../testing/kit.fixture.js';
import { deliveryArguments } from '../server/server-checks.js';
import { encode, PROPERTIES } from './carried-message.js';
import { queueName } from './queue-name.js';

const claimLimited = (queue: QueueAdapter): Promise<readonly QueueDelivery[]> => queue.claimMany([{ ...KEY, max: 1, total: 1 }], LEASE_MS);

withServer.describe('what RabbitMQ is not to carry', () => {
  withServer.it('is delivered when it was sent there without a word, by an engine that knows of no limit', () => bench(async ({ queue, server, config }) => {
    expect(await claimLimited(queue), 'before anything was sent').to.deep.equal([]);
    const { id } = await sendTo(server, config);
    const [taken] = await eventually('the message', () => claimLimited(queue), ({ length }) => length === 1);
    expect(taken?.messageId).to.equal(id);
    expect(await queue.settleMany(done([taken as QueueDelivery]))).to.deep.equal([true]);
  }));

  withServer.it('is delivered when an engine that only sends never learns of the limit', () => bench(async ({ queue, start }) => {
    expect(await claimLimited(queue), 'before anything was sent').to.deep.equal([]);
    const web = await start();
    const woken = new Promise<void>((resolve) => void queue.onDue(() => resolve()));
    const sent = message();
    expect(await web.enqueueMany([[sent]], LIMITS)).to.deep.equal([{ ok: true, ids: [sent.id] }]);
    await woken;
    const [taken] = await eventually('the message', () => claimLimited(queue), ({ length }) => length === 1);
    expect(taken?.messageId).to.equal(sent.id);
  }));

  withServer.it('is delivered when an engine has sent it to a fifo subscription whose order it did not know of yet', () => bench(async ({ queue, server, config }) => {
    await subscribe(queue, 'a', { fifo: true });
    expect(await claim(queue), 'before anything was sent').to.deep.equal([]);
    const { id } = await sendTo(server, config, 'another engine');
    const [taken] = await eventually('the message', () => claim(queue), ({ length }) => length === 1);
    expect(taken?.messageId).to.equal(id);
  }));
});

/** As an engine sends it that makes the queue; with word of it in the name of an engine. */
async function sendTo(server: ServerProcess, { name }: KitConfig, engine?: string): Promise<{ readonly id: string }> {
  const exchange = `treadle.${name}`;
  const [queue, sent] = [queueName(exchange, KEY), message()];
  const connection = await connect(server.url);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue(queue, { durable: true, arguments: deliveryArguments({}) });
  channel.publish('', queue, encode(sent), PROPERTIES);
  if (engine !== undefined) channel.publish(`${exchange}.word`, '', Buffer.from(JSON.stringify({ from: engine, due: [JSON.stringify([KEY.step, KEY.topic])] })));
  await channel.waitForConfirms();
  await connection.close();
  return sent;
}
