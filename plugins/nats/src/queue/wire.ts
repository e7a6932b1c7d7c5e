import type { DeliveryClaim, DeliveryCommit, NewMessage, Settlement, StoreClock } from '@treadle/api';
import type { Command, WireClaim, WireMessage, WireSettlement } from './machine/commands.js';
import type { BodyPlaces } from './machine/delivery.js';
import { bodiesOf, placesOf } from './message-body.js';

const SETTLEMENT_BYTES = 200;
const MESSAGE_BYTES = 200;

/** A command and the bodies that belong to it. */
export interface Written {
  readonly bodies: readonly Buffer[];
  readonly command: (first: number) => Command;
  /** About the bytes of the command; undefined: nobody knows before it is made. */
  readonly about: number | undefined;
}

/** A list of messages. */
export function enqueueCommand(messages: readonly NewMessage[], max: number, time: StoreClock): Written {
  const bodies = messages.map((message) => bodiesOf(message, time));
  return { bodies: bodies.flat(), about: bytesOf(messages), command: (first) => ({ op: 'enqueue', max, messages: wireMessages(messages, placesOf(bodies, first), time) }) };
}

/** The end of a claim with messages. */
export function commitCommand({ settle, enqueue }: DeliveryCommit, max: number, time: StoreClock): Written {
  const bodies = enqueue.map((message) => bodiesOf(message, time));
  const messages = (first: number): readonly WireMessage[] => wireMessages(enqueue, placesOf(bodies, first), time);
  const about = sizeOf(settle) + bytesOf(enqueue);
  return { bodies: bodies.flat(), about, command: (first) => ({ op: 'commit', max, settle: wireSettlement(settle, time), enqueue: messages(first) }) };
}

/** About the bytes that a settlement takes: its errors may be long. */
export function sizeOf(settlement: WireSettlement | Settlement): number {
  return SETTLEMENT_BYTES + (settlement.action === 'done' ? 0 : 2 * settlement.progress.history.length);
}

/** The same of messages: topics and keys may be long. */
function bytesOf(messages: readonly NewMessage[]): number {
  return messages.reduce((sum, { topic, to = '', dedupeKey = '', groupId = '' }) => sum + MESSAGE_BYTES + 2 * (topic.length + to.length + dedupeKey.length + groupId.length), 0);
}

export function wireClaim({ step, topic, deliveryId, epoch }: DeliveryClaim): WireClaim {
  return { step, topic, id: deliveryId, epoch };
}

export function wireSettlement(settlement: Settlement, time: StoreClock): WireSettlement {
  const claim = wireClaim(settlement.claim);
  if (settlement.action === 'done') return { action: 'done', claim };
  if (settlement.action === 'dead') return { ...settlement, claim, at: time.toStore(settlement.at) };
  const { progress, dueAt } = settlement;
  return { action: 'return', claim, progress, dueAt: dueAt === undefined ? undefined : time.toStore(dueAt) };
}

function wireMessages(messages: readonly NewMessage[], places: readonly BodyPlaces[], time: StoreClock): readonly WireMessage[] {
  return messages.map(({ id, topic, to, enqueuedAt, dueAt, dedupeKey, groupId }, index) => ({
    id, topic, to, enqueuedAt: time.toStore(enqueuedAt), dueAt: dueAt === undefined ? undefined : time.toStore(dueAt), dedupeKey, groupId,
    ...places[index] as BodyPlaces,
  }));
}
