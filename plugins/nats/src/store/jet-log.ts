import { AckPolicy, type Consumer, type ConsumerConfig, DeliverPolicy, type JsMsg, type StoredMsg } from '@nats-io/jetstream';
import { headers as newHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { OperationError } from '@treadle/api';
import { isConflict, isMissingMessage } from './faults.js';
import type { Link } from './link.js';
import type { FoundStream } from './server-checks.js';

/** Messages that are asked for at once: whole ones may be large. */
const PORTION = 32;
const HEADER_PORTION = 1_000;
const FOLLOWED_AT_ONCE = 200;
const FETCH_MS = 1_000;
const IDLE_NS = 30_000_000_000;

/** A message of a stream. `text` is empty where only headers were read. */
export interface Stored {
  readonly seq: number;
  readonly subject: string;
  readonly text: string;
  header(name: string): string | undefined;
}

/** A message on its way into a stream. */
export interface Entry {
  readonly text: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sequence of the last message of the subject, 0 for none: it is stored only if that is still so. */
  readonly after?: number;
}

/** Messages that come as they are stored. */
export interface Following {
  /** Messages that were there when it began; fewer come when some are removed meanwhile. */
  readonly pending: number;
  stop(): void;
}

/** Which messages are read: those of the subjects from one sequence on. */
interface Range {
  readonly filter: string;
  readonly from: number;
  readonly headersOnly?: boolean;
}

type Query = { readonly seq: number } | { readonly last_by_subj: string };

/** One stream of JetStream as a log. All reads are answered by the stream's leader, or its only replica, so that they see every acknowledged write. */
export class JetLog {
  constructor(private readonly link: Link, readonly stream: string, private found: FoundStream) {}

  /** When the server made the stream, as far as is known: tells it from one of the same name that was there before. */
  get created(): string {
    return this.found.created;
  }

  /** Gives the message's sequence; undefined: another one is the subject's last, and nothing was stored. */
  async append(subject: string, { text, headers = {}, after }: Entry): Promise<number | undefined> {
    const head = newHeaders();
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) head.set(name, value);
    const expect = after === undefined ? {} : { expect: { lastSubjectSequence: after } };
    return this.link.ask(async () => {
      try {
        return (await this.link.js.publish(subject, text, { headers: head, ...expect })).seq;
      } catch (error) {
        if (isConflict(error)) return undefined;
        throw error;
      }
    });
  }

  /** Stores a message, whatever was there before. */
  async put(subject: string, data: Uint8Array, headers?: MsgHdrs): Promise<void> {
    await this.link.ask(() => this.link.js.publish(subject, data, headers && { headers }));
  }

  /** Gives messages from one sequence on as they are stored, each within a turn of its own. Ends without a word when the connection does. */
  async follow(range: Range, told: (message: JsMsg) => void): Promise<Following> {
    const { consumers } = this.link.jsm;
    const made = await this.link.ask(() => consumers.add(this.stream, consumerOf(range)));
    const messages = await this.link.ask(() => this.link.js.consumers.getConsumerFromInfo(made).consume({ max_messages: FOLLOWED_AT_ONCE, callback: told }));
    return {
      pending: made.num_pending,
      stop: () => {
        messages.stop();
        void consumers.delete(this.stream, made.name).catch(() => undefined);
      },
    };
  }

  /** The last message of a subject. */
  last(subject: string): Promise<Stored | undefined> {
    return this.message({ last_by_subj: subject });
  }

  at(seq: number): Promise<Stored | undefined> {
    return this.message({ seq });
  }

  async bytesAt(seq: number): Promise<Uint8Array | undefined> {
    return (await this.find({ seq }))?.data;
  }

  /** Sequence of the last message, whether it is still there or not; `created` is what it is now. */
  async end(): Promise<number> {
    const { created, state } = await this.link.ask(() => this.link.jsm.streams.info(this.stream));
    this.found = { ...this.found, created };
    return state.last_seq;
  }

  /** Subjects that have a message. */
  async subjects(filter: string): Promise<readonly string[]> {
    const info = await this.link.ask(() => this.link.jsm.streams.info(this.stream, { subjects_filter: filter }));
    return Object.keys(info.state.subjects ?? {});
  }

  /** All messages that there are now, in order. @throws an `OperationError` when one went astray */
  async *read(range: Range): AsyncGenerator<Stored> {
    const { consumers } = this.link.jsm;
    const made = await this.link.ask(() => consumers.add(this.stream, consumerOf(range)));
    const { name } = made;
    const consumer = this.link.js.consumers.getConsumerFromInfo(made);
    try {
      let received = 0;
      for (let left = made.num_pending; left > 0;) {
        const most = Math.min(left, range.headersOnly ? HEADER_PORTION : PORTION);
        const batch = await this.fetch(consumer, most);
        for (const message of batch) {
          this.checkPlace(received += 1, message.info.deliverySequence);
          yield storedOf(message.seq, message.subject, message.headers, range.headersOnly ? '' : message.string());
        }
        left -= batch.length;
        if (batch.length === most) continue;
        // The rest is late, or was removed meanwhile.
        const info = await this.link.ask(() => consumers.info(this.stream, name));
        this.checkPlace(received, info.delivered.consumer_seq);
        left = info.num_pending;
      }
    } finally {
      void consumers.delete(this.stream, name).catch(() => undefined);
    }
  }

  /** Removes one message; one that is not there is no matter. */
  async remove(seq: number): Promise<void> {
    await this.link.ask(async () => {
      await this.link.jsm.streams.deleteMessage(this.stream, seq, false).catch((error: unknown) => {
        if (!isMissingMessage(error)) throw error;
      });
    });
  }

  /** Removes messages of subjects that have a lower sequence; all of them by default. */
  async purge(filter: string, before?: number): Promise<void> {
    // The server takes 1 for no limit, and would remove the first message itself.
    if (before !== undefined && before <= 1) return;
    await this.link.ask(() => this.link.jsm.streams.purge(this.stream, { filter, ...before !== undefined && { seq: before } }));
  }

  private fetch(consumer: Consumer, most: number): Promise<readonly JsMsg[]> {
    return this.link.ask(async () => {
      const found: JsMsg[] = [];
      const messages = await consumer.fetch({ max_messages: most, expires: FETCH_MS });
      // By itself it waits as long as the server is away, and goes on then behind what the server had sent.
      const release = this.link.onLost(() => messages.stop(new OperationError('StorageUnavailable', `${this.link.server} cannot be reached: the connection was lost`)));
      try {
        for await (const message of messages) {
          found.push(message);
          if (found.length === most) break;
        }
      } finally {
        release();
      }
      return found;
    });
  }

  /** The server counts what it sends to a consumer, and nothing is sent twice. */
  private checkPlace(received: number, sent: number): void {
    if (sent !== received) throw new OperationError('StorageUnavailable', `messages of ${this.stream} went astray on their way from ${this.link.server}`);
  }

  private async message(query: Query): Promise<Stored | undefined> {
    const found = await this.find(query);
    return found ? storedOf(found.seq, found.subject, found.header, found.string()) : undefined;
  }

  /** Asked directly, the server answers with the message itself; else with JSON that has it in Base64. */
  private find(query: Query): Promise<StoredMsg | null> {
    const { direct, streams } = this.link.jsm;
    return this.link.ask(() => (this.found.isDirect ? direct : streams).getMessage(this.stream, query));
  }
}

function consumerOf({ filter, from, headersOnly = false }: Range): Partial<ConsumerConfig> {
  return {
    filter_subject: filter, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, from), ack_policy: AckPolicy.None,
    headers_only: headersOnly, inactive_threshold: IDLE_NS, mem_storage: true, num_replicas: 1,
  };
}

function storedOf(seq: number, subject: string, headers: MsgHdrs | undefined, text: string): Stored {
  return { seq, subject, text, header: (name) => headers?.get(name) || undefined };
}
