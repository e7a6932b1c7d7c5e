import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';

interface Published {
  readonly messageIds: readonly string[];
  /** Topics that nobody consumes. */
  readonly unrouted?: readonly string[];
}

/** `treadle queue publish`: enqueues one message. */
export default class QueuePublish extends AdminCommand<Published> {
  static override summary = 'Enqueue a message.';
  static override description = 'The data is JSON; without it, or with "-", it is read from stdin. Ends when the message is durable.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> orders.placed \'{"id": 7}\'',
    'cat order.json | <%= config.bin %> <%= command.id %> orders.placed --group customer-7',
  ];
  static override args = {
    topic: Args.string({ required: true, description: 'Topic of the message' }),
    data: Args.string({ description: 'JSON, or - for stdin' }),
  };
  static override flags = {
    ...adminFlags,
    'delay-ms': Flags.integer({ helpValue: '<ms>', min: 0, exclusive: ['at'], summary: 'Deliver it this many milliseconds later.' }),
    at: Flags.string({ helpValue: '<time>', summary: 'Deliver it at this time (ISO 8601).' }),
    'dedupe-key': Flags.string({ helpValue: '<key>', summary: 'Write nothing when the topic had this key within a day.' }),
    group: Flags.string({ helpValue: '<id>', summary: 'Message group, which keeps its order.' }),
    header: Flags.string({ helpValue: '<name=value>', multiple: true, multipleNonGreedy: true, summary: 'Header of the message; may be repeated.' }),
  };

  override async run(): Promise<Published> {
    const { args, flags } = await this.parse(QueuePublish);
    const { jsonArgument } = await import('../../admin/json-argument.js');
    const headers = headersOf(flags.header);
    const data = await jsonArgument(args.data, 'the data');
    const client = await this.client(flags);
    const message = {
      topic: args.topic, data, delayMs: flags['delay-ms'], at: flags.at, dedupeKey: flags['dedupe-key'], messageGroupId: flags.group, headers,
    };
    const result = await client.post<Published>(['queues', 'messages'], message);
    this.say(`enqueued ${result.messageIds.join(', ')}${result.unrouted?.length ? nobody(args.topic) : ''}`);
    return result;
  }
}

function nobody(topic: string): string {
  return `\nnobody consumes ${topic}: the message is kept for 7 days, for the first Step that does`;
}

function headersOf(written: readonly string[] = []): Readonly<Record<string, string>> | undefined {
  const pairs = written.map((text) => {
    const equals = text.indexOf('=');
    if (equals < 1) throw treadleError('USAGE', { message: `--header must be <name>=<value>, got "${text}"` });
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
