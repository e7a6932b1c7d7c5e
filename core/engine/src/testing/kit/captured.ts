import { type EnqueueOutcome, type Json, type LogRecord, type NewMessage, type SpanRecord, type StreamGroup, traceIdOf } from '@treadle/api';

/** A message that was enqueued, by a Step or by the test. */
export interface CapturedMessage {
  readonly messageId: string;
  readonly topic: string;
  readonly data: unknown;
  readonly traceId: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly messageGroupId?: string;
  /** When it is to be delivered, for one that was delayed; milliseconds since the epoch. */
  readonly dueAt?: number;
}

/** An event of a stream that was sent and is not stored. */
export interface CapturedEvent {
  readonly stream: string;
  readonly groupId: string;
  /** The item that it is about; absent: the whole group. */
  readonly id?: string;
  readonly type: string;
  readonly data: unknown;
}

/** What the engine did so far, for tests to look at. */
export class Captured {
  readonly messages: CapturedMessage[] = [];
  readonly logs: LogRecord[] = [];
  readonly spans: SpanRecord[] = [];
  readonly events: CapturedEvent[] = [];

  /** Keeps the messages that were really stored: repeats of a `dedupeKey` were not, nor those of a full queue. */
  enqueued(batches: readonly (readonly NewMessage[])[], outcomes: readonly EnqueueOutcome[]): void {
    batches.forEach((batch, index) => {
      const outcome = outcomes[index];
      if (!outcome?.ok) return;
      this.messages.push(...batch.filter(({ id, kind }, place) => kind === 'queue' && outcome.ids[place] === id).map(captured));
    });
  }

  sent({ stream, groupId }: StreamGroup, { id, type, data }: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): void {
    this.events.push({ stream, groupId, ...id !== undefined && { id }, type, data });
  }
}

function captured({ id, topic, data, traceparent, headers, groupId, dueAt }: NewMessage): CapturedMessage {
  return {
    messageId: id, topic, data: JSON.parse(data) as unknown, traceId: traceIdOf(traceparent),
    ...headers !== undefined && { headers: JSON.parse(headers) as Record<string, string> },
    ...groupId !== undefined && { messageGroupId: groupId }, ...dueAt !== undefined && { dueAt },
  };
}
