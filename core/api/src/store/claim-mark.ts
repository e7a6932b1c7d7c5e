import type { DeliveryClaim } from '../blocks/queue-messages.js';

const EPOCH = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/;

/** Which member of a store claimed a delivery, and in which of its calls. */
export interface ClaimMark {
  readonly member: number;
  readonly seq: number;
}

/** The epoch of a claim, for adapters whose store counts its members; the delivery's id makes it unique among those of one call. */
export function epochOf({ member, seq }: ClaimMark, id: number): string {
  return `${member}.${seq}.${id}`;
}

/** Undefined for an epoch that no claim of the delivery ever had. */
export function markOf({ epoch, deliveryId }: DeliveryClaim): ClaimMark | undefined {
  const [, member, seq, id] = EPOCH.exec(epoch) ?? [];
  return Number(id) === deliveryId ? { member: Number(member), seq: Number(seq) } : undefined;
}
