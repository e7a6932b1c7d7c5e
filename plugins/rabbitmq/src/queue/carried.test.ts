import type { AdoptedDelivery, QueueDelivery, Settlement } from '@treadle/api';
import { errorOf, eventually } from '@treadle/testing';
import { connect } from 'amqplib';
import { expect } from 'chai';
import { query } from '../../../postgres/src/testing/server.fixture.js';
import { type Bench, bench, claim, done, KEY, LIMITS, message, subscribe } from '../testing/bench.fixture.js';
import { withServer } from '../testing/kit.fixture.js';
import { control, manage, queuesOf, removeQueues, startRabbit } from '../testing/server.fixture.js';
import { queueName } from './queue-name.js';

const FAILED = { attempts: 1, deaths: 0, history: '["e"]' };

const waitingOnServer = async ({ server, config }: Bench): Promise<number> => (
  (await queuesOf(server, `treadle.${config.name}.`)).reduce((sum, { name, messages: count = 0 }) => (name.includes('.word') ? sum : sum + count), 0));

/** The server counts deliveries there by itself, some versions from the first one on. */
const withoutCount = (headers: object | undefined): object => Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name !== 'x-delivery-count'));

withServer.describe('what RabbitMQ carries', () => {
  withServer.it('is a message that is due, for one Step, and that nobody has to remember; the second store gets the rest', () => bench(async (given) => {
    const { queue } = given;
    await subscribe(queue, 'fifo', { topic: 'f', fifo: true });
    await subscribe(queue, 'late', { topic: 'l', delayMs: 60_000 });
    await subscribe(queue, 'one', { topic: 'two' });
    await subscribe(queue, 'other', { topic: 'two' });
    const rest = [message({ dedupeKey: 'k' }), message({ dueAt: Date.now() + 60_000 }), message({ topic: 'f' }), message({ topic: 'l' }), message({ topic: 'two' }), message({ topic: 'nobody' })];
    const outcomes = await queue.enqueueMany([[message()], [message()], [message(), message()], ...rest.map((one) => [one])], LIMITS);
    expect(outcomes.every(({ ok }) => ok)).to.equal(true);
    await eventually('two messages in the figures of the server', () => waitingOnServer(given), (count) => count === 2, 30_000);
    const counts = new Map((await queue.statistics()).map(({ step, waiting, delayed }) => [step, waiting + delayed]));
    expect([...counts].sort()).to.deep.equal([['a', 6], ['fifo', 1], ['late', 1], ['one', 1], ['other', 1]]);
    expect(await queue.unrouted()).to.have.length(1);
  }));

  withServer.it('goes into the second store when it fails, and is gone from RabbitMQ when it is done', () => bench(async (given) => {
    const { queue } = given;
    await queue.enqueueMany([[message()], [message()]], LIMITS);
    const [first, second] = await claim(queue);
    await eventually('two messages in the figures of the server', () => waitingOnServer(given), (count) => count === 2, 30_000);
    const settled = await queue.settleMany([{ action: 'return', claim: first as QueueDelivery, progress: FAILED }, ...done([second as QueueDelivery])]);
    expect(settled).to.deep.equal([true, true]);
    await eventually('none', () => waitingOnServer(given), (count) => count === 0, 30_000);
    const again = await claim(queue);
    expect(again.map(({ messageId, progress }) => [messageId, progress])).to.deep.equal([[first?.messageId, FAILED]]);
    expect(await queue.settleMany(done(again))).to.deep.equal([true]);
  }));

  withServer.it('is gone when it is done, also when the second store takes nothing of what failed beside it', () => bench(async (given) => {
    const { queue, config } = given;
    await queue.enqueueMany([[message()], [message()]], LIMITS);
    const [first, second] = await claim(queue);
    const settlements: Settlement[] = [{ action: 'return', claim: first as QueueDelivery, progress: FAILED }, ...done([second as QueueDelivery])];
    const { url = '', schema } = config.store.config;
    await query(url, `ALTER TABLE ${schema}.queue_used RENAME TO aside`);
    expect(await errorOf(queue.settleMany(settlements))).to.have.property('code', 'StorageFailed');
    await eventually('one message on the server', () => waitingOnServer(given), (count) => count === 1, 30_000);
    await query(url, `ALTER TABLE ${schema}.aside RENAME TO queue_used`);
    expect(await queue.settleMany(settlements)).to.deep.equal([true, true]);
    expect(await queue.settleMany(settlements), 'once more').to.deep.equal([false, false]);
    await eventually('none', () => waitingOnServer(given), (count) => count === 0, 30_000);
    expect((await claim(queue)).map(({ messageId }) => messageId)).to.deep.equal([first?.messageId]);
  }));

  withServer.it('is delivered beside what is not of Treadle and cannot be sent again as it was, of which the body is kept, once', () => bench(async ({ server, config, queue }) => {
    const exchange = `treadle.${config.name}`;
    const own = message();
    const connection = await connect(server.url);
    const channel = await connection.createConfirmChannel();
    await queue.enqueueMany([[own]], LIMITS);
    const lane = queueName(exchange, KEY);
    channel.publish(exchange, lane, Buffer.from('plain'));
    channel.publish(exchange, lane, Buffer.from('odd'), { headers: { table: { '!': 'object', value: { '!': 'a type that the client does not have' } } } });
    await channel.waitForConfirms();
    await claim(queue);
    const counts = async (): Promise<ReadonlyMap<string, number>> => new Map((await queuesOf(server, `${exchange}.`)).map(({ name, messages: count = 0 }) => [name, count]));
    await eventually('both in the queue of their own, and the one of Treadle', counts, (all) => all.get(`${exchange}.foreign`) === 2 && all.get(lane) === 1, 30_000);
    const kept = [await channel.get(`${exchange}.foreign`, { noAck: true }), await channel.get(`${exchange}.foreign`, { noAck: true })];
    await connection.close();
    expect(kept.map((one) => one && [one.content.toString(), (one.properties.headers ?? {})['treadle-queue']])).to.have.deep.members([['plain', lane], ['odd', lane]]);
  }));

  withServer.it('is delivered beside what is not of Treadle, which is kept in a queue of its own', () => bench(async ({ server, config, queue }) => {
    const exchange = `treadle.${config.name}`;
    const own = message();
    await queue.enqueueMany([[own]], LIMITS);
    const connection = await connect(server.url);
    const channel = await connection.createConfirmChannel();
    const lane = queueName(exchange, KEY);
    channel.publish(exchange, lane, Buffer.from([0, 255]), { contentType: 'x/y', messageId: 'f', expiration: '600000', userId: 'guest', headers: { a: 1 } });
    channel.publish(exchange, lane, Buffer.from('hello'), { type: 'treadle' });
    const { id, kind, traceparent, hops, enqueuedAt } = message();
    channel.publish(exchange, lane, Buffer.from('{"n":2}'), { messageId: id, headers: { treadle: JSON.stringify({ kind, traceparent, hops, enqueuedAt }) } });
    await channel.waitForConfirms();
    const taken: QueueDelivery[] = [];
    await eventually('both', async () => taken.push(...await claim(queue)), (count) => count >= 2, 30_000);
    expect(taken.map(({ messageId, data }) => [messageId, data])).to.have.deep.members([[own.id, own.data], [id, '{"n":2}']]);
    expect(await queue.settleMany(done(taken))).to.deep.equal([true, true]);
    const shown = (): Promise<readonly (readonly [string, number | undefined])[]> => (
      queuesOf(server, `${exchange}.`).then((all) => all.filter(({ name }) => !name.includes('.word')).map(({ name, messages: count }) => [name, count] as const)));
    const kept = await eventually('what is kept', shown, (all) => all.some(([name, count]) => name === `${exchange}.foreign` && count === 2) && all.some(([name, count]) => name === lane && count === 0), 30_000);
    expect(kept).to.have.length(2);
    const [first, second] = [await channel.get(`${exchange}.foreign`, { noAck: true }), await channel.get(`${exchange}.foreign`, { noAck: true })];
    await connection.close();
    const found = [first, second].map((one) => one && [[...one.content], one.properties.contentType, one.properties.messageId, one.properties.type, one.properties.expiration, withoutCount(one.properties.headers)]);
    expect(found).to.have.deep.members([
      [[0, 255], 'x/y', 'f', undefined, undefined, { a: 1, 'treadle-queue': lane }],
      [[...Buffer.from('hello')], undefined, undefined, 'treadle', undefined, { 'treadle-queue': lane }],
    ]);
  }));

  withServer.it('is claimed while the second store gives nothing out', () => bench(async ({ queue, config }) => {
    const { url = '', schema } = config.store.config;
    await query(url, `ALTER FUNCTION ${schema}.queue_claim RENAME TO aside`);
    expect(await errorOf(claim(queue)), 'with nothing to claim').to.have.property('code', 'StorageFailed');
    await queue.enqueueMany([[message()]], LIMITS);
    const claims = await claim(queue);
    expect(claims).to.have.length(1);
    expect(await queue.settleMany(done(claims))).to.deep.equal([true]);
    await query(url, `ALTER FUNCTION ${schema}.aside RENAME TO queue_claim`);
  }));

  withServer.it('is not run once more without its attempt when the engine dies between the second store and RabbitMQ', () => bench(async (given) => {
    const { queue, start, store } = given;
    const [first, second] = [message(), message()];
    await queue.enqueueMany([[first], [second]], LIMITS);
    const [failed] = await claim(queue, 1);
    const { deliveryId: _id, epoch: _epoch, ...delivery } = failed as QueueDelivery;
    const moved: AdoptedDelivery = { ...delivery, progress: FAILED };
    expect(await (await store()).adoptMany?.([moved])).to.deep.equal([true]);
    const other = await start();
    await endConnections(given);
    const taken: QueueDelivery[] = [];
    await eventually('both messages', async () => taken.push(...await claim(other).catch(() => [])), (count) => count >= 2, 30_000);
    expect(taken.map(({ messageId, progress }) => [messageId, progress.attempts]).sort()).to.deep.equal([[failed?.messageId, 1], [second.id, 0]]);
    expect(await other.settleMany(done(taken))).to.deep.equal([true, true]);
    expect(await queue.settleMany(done([failed as QueueDelivery])).catch(() => [false]), 'the claim of the lost connection').to.deep.equal([false]);
    await eventually('an empty queue', () => waitingOnServer(given), (count) => count === 0, 30_000);
    expect(await claim(other)).to.deep.equal([]);
  }));

  withServer.it('is sent to the second store when its queue was removed, and to a new queue afterwards', () => bench(async (given) => {
    const { queue, server, config } = given;
    await queue.enqueueMany([[message()]], LIMITS);
    const [lost] = await claim(queue);
    await removeQueues(server, `treadle.${config.name}.a`);
    await eventually('the loss of the claim', () => queue.settleMany(done([lost as QueueDelivery])).catch(() => []), ([kept]) => kept === false, 30_000);
    const ids: string[] = [];
    for (const one of [message(), message()]) {
      ids.push(one.id);
      await eventually('an acknowledgement', () => queue.enqueueMany([[one]], LIMITS).catch(() => []), ([outcome]) => outcome?.ok === true, 30_000);
    }
    const taken: string[] = [];
    await eventually('both', async () => taken.push(...(await claim(queue)).map(({ messageId }) => messageId)), (count) => count >= 2, 30_000);
    expect(taken.sort()).to.deep.equal(ids.sort());
  }));
});

withServer.describe('a RabbitMQ that is short of memory', () => {
  withServer.it('refuses messages at once and says why, goes on with those that it has, and takes more when it has room', () => bench(async ({ queue, server }) => {
    await queue.enqueueMany([[message()]], LIMITS);
    await control(server, 'set_vm_memory_high_watermark', 'absolute', '1');
    const refused = await eventually('the refusal', () => errorOf(queue.enqueueMany([[message()]], LIMITS)).catch(() => undefined), (error) => error?.code === 'StorageFull', 60_000);
    expect(refused?.message).to.match(/^nothing was stored: RabbitMQ 127\.0\.0\.1:\d+ takes no messages: low on memory/);
    const claims = await claim(queue);
    expect(claims.length, 'those that were stored, also without a confirm').to.be.at.least(1);
    expect(await queue.settleMany(done(claims))).to.deep.equal(claims.map(() => true));
    await control(server, 'set_vm_memory_high_watermark', '0.6');
    await eventually('an acknowledgement', () => queue.enqueueMany([[message()]], LIMITS).catch(() => []), ([outcome]) => outcome?.ok === true, 60_000);
  }, startRabbit()));
});

/** As if the network had ended them; the engines connect again. */
async function endConnections({ server, config }: Bench): Promise<void> {
  interface Connection { readonly name: string; readonly client_properties?: { readonly connection_name?: string } }
  const mine = async (): Promise<readonly Connection[]> => (await (await manage(server, '/api/connections')).json() as readonly Connection[])
    .filter(({ client_properties: { connection_name: name } = {} }) => name === `treadle ${config.name} messages in`);
  const found = await eventually('the connections in the list', mine, ({ length }) => length === 2, 30_000);
  for (const { name } of found) await manage(server, `/api/connections/${encodeURIComponent(name)}`, 'DELETE');
}
