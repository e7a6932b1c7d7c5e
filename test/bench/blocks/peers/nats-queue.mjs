// A work queue on JetStream by its client alone: a message is sent when the server has acknowledged it, and acknowledged when it is handled. With `batches`
// what is sent while a message of the server is under way shares the next one, as with our adapter, and is acknowledged with it.
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { batching, Meter, serveQueue } from './jobs.mjs';

const [PREFETCH, MOST] = [1000, 1000];
const [url, packing = 'single'] = process.argv.slice(2);
const STREAM = `raw-queue-${packing}`;
const [incoming, outgoing] = [await connect({ servers: url }), await connect({ servers: url })];
const manager = await jetstreamManager(incoming);
await manager.streams.add({ name: STREAM, subjects: [STREAM], retention: RetentionPolicy.Workqueue });
await manager.consumers.add(STREAM, { durable_name: 'workers', ack_policy: AckPolicy.Explicit, max_ack_pending: PREFETCH });
const meter = new Meter();
const consumer = await jetstream(incoming).consumers.get(STREAM, 'workers');
await consumer.consume({
  max_messages: PREFETCH,
  callback: (message) => {
    for (const each of [message.json()].flat()) meter.handled(each);
    message.ack();
  },
});
const producer = jetstream(outgoing);
const publish = (data) => producer.publish(STREAM, JSON.stringify(data));
const sendMany = batching(MOST, async (messages) => {
  await publish(messages);
  return messages;
});
serveQueue(packing === 'batches' ? sendMany : publish, meter);
