import { encodeKey } from '@treadle/api';
import type { SqlValue } from '../driver/driver.js';
import type { Row } from '../store/store-area.js';
import { LENGTHS } from './enqueue-operation.js';
import type { HeldDelivery } from './held-delivery.js';
import type { Lane } from './lane.js';
import { rowOf } from './lanes.js';
import { KINDS } from './queue-reader.js';

/** What goes along with a delivery. */
export interface DeliveryExtras {
  /** 0: at once. */
  readonly dueAt: number;
  /** Its row must stand by itself, because it may have to be left out. */
  readonly alone: boolean;
}

/** Gathers the rows of `queue.enqueue`; plain ones are written several at a time. */
export class EnqueueRows {
  private readonly rows: Row[] = [];
  private plain: SqlValue[] = [];
  private readonly reserving = new Set<Lane>();

  get empty(): boolean {
    return this.rows.length === 0 && this.plain.length === 0;
  }

  add(row: Row): void {
    this.rows.push(row);
  }

  /** The lane has used up its numbers. */
  reserve(lane: Lane): void {
    this.reserving.add(lane);
  }

  delivery({ number, stored }: Lane, delivery: HeldDelivery, { dueAt, alone }: DeliveryExtras): void {
    const { deliveryId, messageId, data, traceparent, enqueuedAt, hops, kind, groupId, headers } = delivery;
    if (alone || dueAt > 0 || hops > 0 || kind !== 'queue' || stored.fifo || groupId !== undefined || headers !== undefined) {
      const group = groupId === undefined ? (stored.fifo ? '' : null) : encodeKey(groupId);
      this.rows.push([
        number, deliveryId, messageId, data, traceparent, enqueuedAt, hops, KINDS.indexOf(kind), dueAt > 0 ? dueAt : null, group, headers ?? null,
      ]);
      return;
    }
    this.plain.push(number, deliveryId, messageId, data, traceparent, enqueuedAt);
    if (this.plain.length < LENGTHS.chunk) return;
    this.rows.push(this.plain);
    this.plain = [];
  }

  finish(): { readonly list: readonly Row[]; readonly lanes: ReadonlyMap<Lane, number> } {
    for (let at = 0; at < this.plain.length; at += LENGTHS.plain) this.rows.push(this.plain.slice(at, at + LENGTHS.plain));
    this.plain = [];
    const lanes = new Map<Lane, number>();
    for (const lane of this.reserving) {
      const row = rowOf(lane);
      lanes.set(lane, Number(row.at(-1)));
      this.rows.push(row);
    }
    return { list: this.rows, lanes };
  }
}
