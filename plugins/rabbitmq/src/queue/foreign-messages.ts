import type { Logger } from '@treadle/api';
import type { ChannelModel, ConsumeMessage, MessageProperties, Options } from 'amqplib';
import type { QueueShape } from './lane-channel.js';

/** What the server has pushed, whoever sent it. */
export type Foreign = Pick<ConsumeMessage, 'content' | 'properties'>;

/** Header with the name of the queue that a message lay in. */
const FROM = 'treadle-queue';
/** Headers that would have the server send it to others as well. */
const ROUTES = ['CC', 'BCC'];
/** Properties that it does not keep. */
const CHANGED = ['expiration', 'userId', 'clusterId', 'deliveryMode', 'headers'];
/** Messages that are sent before their confirms are waited for, and their bytes, which have to arrive in the time of one answer. */
const PORTION = 50;
const PORTION_BYTES = 4_000_000;

/** Where they are put. */
interface Keeper {
  keepForeign(shape: QueueShape, from: string, messages: readonly Foreign[]): Promise<void>;
}

/** Messages that others have sent to queues of Treadle: nobody knows what they are, so they go into a queue of their own, where an operator finds them. */
export class ForeignMessages {
  private readonly told = new Set<string>();
  private readonly kept = new WeakSet<Foreign>();

  /** @param shape the queue that they go into */
  constructor(private readonly keeper: Keeper, private readonly shape: QueueShape, private readonly log: Pick<Logger, 'warn'>) {}

  /** They are on the server's disks when it resolves; of a rejected call some may be: who repeats it has the others kept. @throws {OperationError} */
  async keep(from: string, messages: readonly Foreign[]): Promise<void> {
    if (!this.told.has(from)) {
      this.told.add(from);
      this.log.warn(
        `the queue ${from} has messages that are not of Treadle; they go into the queue ${this.shape.name}, where nothing removes them: find out who sends them, and take them from there`,
        { queue: from, kept: this.shape.name },
      );
    }
    const left = messages.filter((message) => !this.kept.has(message));
    while (left.length > 0) {
      const portion = left.splice(0, togetherOf(left));
      await this.keeper.keepForeign(this.shape, from, portion);
      for (const message of portion) this.kept.add(message);
    }
  }
}

/** How many of them make a portion. */
function togetherOf(messages: readonly Foreign[]): number {
  let [count, bytes] = [0, 0];
  for (const { content } of messages.slice(0, PORTION)) {
    bytes += content.length;
    if (count > 0 && bytes > PORTION_BYTES) break;
    count += 1;
  }
  return count;
}

/** Where all of them go. */
export function foreignQueue(exchange: string, args: QueueShape['arguments']): QueueShape {
  return { exchange, name: `${exchange}.foreign`, arguments: args };
}

/** Puts them there, with a queue where there is none. @throws what the server refuses */
export async function putForeign(connection: ChannelModel, { exchange, name, arguments: args }: QueueShape, from: string, messages: readonly Foreign[]): Promise<void> {
  const channel = await connection.createConfirmChannel();
  let returned = false;
  channel.on('error', () => undefined);
  channel.on('return', () => { returned = true; });
  try {
    await channel.assertQueue(name, { durable: true, arguments: args });
    await channel.bindQueue(name, exchange, name);
    const send = (content: Buffer, options: Options.Publish): unknown => channel.publish(exchange, name, content, options);
    for (const { content, properties } of messages) {
      try {
        send(content, keptOptions(properties, from));
      } catch {
        // The client reads properties that it cannot write, and sends nothing then.
        send(content, ownOptions({}, from));
      }
    }
    await channel.waitForConfirms();
    if (returned) throw new Error(`the queue ${name} was removed`);
  } finally {
    await channel.close().catch(() => undefined);
  }
}

/** As it was, but for what would remove it in time, have the server refuse it, or send it elsewhere. */
function keptOptions(properties: MessageProperties, from: string): Options.Publish {
  const { headers = {} } = properties as { readonly headers?: Readonly<Record<string, unknown>> };
  const own = Object.entries(headers).filter(([name]) => !ROUTES.includes(name));
  const rest = Object.entries(properties).filter(([name]) => !CHANGED.includes(name));
  return { ...Object.fromEntries(rest), ...ownOptions(Object.fromEntries(own), from) };
}

function ownOptions(headers: object, from: string): Options.Publish {
  return { headers: { ...headers, [FROM]: from }, persistent: true, mandatory: true };
}
