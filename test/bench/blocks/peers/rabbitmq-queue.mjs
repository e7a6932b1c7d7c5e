// A quorum queue by amqplib alone, with the confirms of our adapter: a message is sent when the server has confirmed it, and acknowledged when it is handled,
// as many with one frame as were handled in a turn.
import { connect } from 'amqplib';
import { Meter, serveQueue } from './jobs.mjs';

const PREFETCH = 1000;
const [QUEUE, url] = ['bench', process.argv[2]];
const [incoming, outgoing] = [await connect(url), await connect(url)];
const [consumer, producer] = [await incoming.createChannel(), await outgoing.createConfirmChannel()];
await consumer.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
await consumer.prefetch(PREFETCH);
const meter = new Meter();
let last;
const acknowledge = () => {
  consumer.ack(last, true);
  last = undefined;
};
await consumer.consume(QUEUE, (message) => {
  meter.handled(JSON.parse(message.content.toString()));
  if (last === undefined) setImmediate(acknowledge);
  last = message;
});
serveQueue((message) => new Promise((resolve, reject) => {
  producer.sendToQueue(QUEUE, Buffer.from(JSON.stringify(message)), { persistent: true, mandatory: true }, (error) => (error ? reject(error) : resolve()));
}), meter);
