import type { AdoptedDelivery, SubscriptionKey } from '@treadle/api';
import type { ChannelModel } from 'amqplib';
import type { Foreign } from './foreign-messages.js';

/** What lanes have in common. */
export interface LaneParts {
  readonly exchange: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly prefetch: number;
  /** The next number of a delivery. */
  number(): number;
  /** Runs what needs the connection. @throws {OperationError} */
  ask<T>(question: (connection: ChannelModel) => Promise<T>): Promise<T>;
  /** Into the second store. */
  adopt(deliveries: readonly AdoptedDelivery[]): Promise<unknown>;
  /** Into a queue where nothing is lost: they came by the queue `from`, and are not of Treadle. */
  keepForeign(from: string, messages: readonly Foreign[]): Promise<void>;
  /** The server may hand this subscription's deliveries out; else they go into the second store. */
  isCarried(key: SubscriptionKey): boolean;
  due(key: SubscriptionKey): void;
}
