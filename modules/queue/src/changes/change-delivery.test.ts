import { type NewMessage, OperationError, type StoredChange, WrittenJson } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { Publisher } from '../publishing/publisher.js';
import { ChangeDelivery, type DeliveryParts } from './change-delivery.js';

const ORIGIN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: 0 };
const MEGABYTE = 1_048_576;

describe('ChangeDelivery', () => {
  let under: number;
  let most: number;
  let stored: string[];
  let isFull: (message: NewMessage) => boolean;
  beforeEach(() => {
    [under, most, stored, isFull] = [0, 0, [], () => false];
  });

  const publisher = {
    nextId: () => 'id',
    store: async ([message]: readonly NewMessage[]): Promise<void> => {
      await new Promise((resolve) => void setImmediate(resolve));
      under -= 1;
      if (isFull(message as NewMessage)) throw new OperationError('QueueFull', 'full');
      stored.push(`${message?.to} ${message?.data}`);
    },
  } as unknown as Publisher;
  const listeners = { stored: async () => undefined, stepsFor: () => ['A'] } as unknown as DeliveryParts['listeners'];
  const delivery = new ChangeDelivery({ publisher, listeners, dedupe: false, clock: fakeClock() });

  const change = (n: number, bytes: number): StoredChange => ({
    id: `c${n}`, subject: { kind: 'state', group: 'g', key: 'k' }, bytes, origin: ORIGIN,
    get input(): WrittenJson {
      under += 1;
      most = Math.max(most, under);
      return new WrittenJson(String(n));
    },
  });
  const changes = (bytes: number): StoredChange[] => Array.from({ length: 12 }, (_, n) => change(n, bytes));
  const inOrder = Array.from({ length: 12 }, (_, n) => `A ${n}`);

  it('has as many large changes in memory as 4 MiB hold, in their order', async () => {
    const { done } = await delivery.deliver(changes(MEGABYTE), () => 'now');
    expect([most, stored, done.length]).to.deep.equal([4, inOrder, 12]);
  });

  it('takes a change that is larger by itself, and small ones together', async () => {
    await delivery.deliver(changes(9 * MEGABYTE), () => 'now');
    expect([most, stored]).to.deep.equal([1, inOrder]);
    most = 0;
    await delivery.deliver(changes(100), () => 'now');
    expect(most).to.equal(12);
  });

  it('offers nothing of later portions to a Step that took no more', async () => {
    isFull = ({ data }) => data === '1';
    const { done, left, full } = await delivery.deliver(changes(4 * MEGABYTE), () => 'now');
    expect([stored, done, left.length, [...full]]).to.deep.equal([['A 0'], ['c0'], 11, [['A', 'c1']]]);
  });
});
