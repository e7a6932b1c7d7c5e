import { nameFault } from '@treadle/api';
import type { HookSubscription } from '../access/hooks.js';
import type { ResumePoint } from '../rooms/room.js';

/** What a client wants to follow, or to follow no longer. */
export interface JoinData extends HookSubscription {
  readonly from?: ResumePoint | undefined;
}

export type ClientMessage =
  | { readonly type: 'join'; readonly data: JoinData }
  | { readonly type: 'leave'; readonly subscriptionId: string }
  | { readonly type: 'fault'; readonly message: string; readonly subscriptionId?: string };

const MAX_EPOCH = 200;

/** Reads a message of a client; never throws. */
export function readMessage(text: string): ClientMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { type: 'fault', message: 'the message is no JSON' };
  }
  const { type, data } = (message ?? {}) as { type?: unknown; data?: unknown };
  if (type !== 'join' && type !== 'leave') return { type: 'fault', message: 'type must be "join" or "leave"' };
  if (typeof data !== 'object' || data === null) return { type: 'fault', message: 'data must be an object' };
  const fields = data as Readonly<Record<string, unknown>>;
  const { subscriptionId } = fields;
  const fault = nameFault('data.subscriptionId', subscriptionId);
  if (fault !== undefined) return { type: 'fault', message: fault };
  if (type === 'leave') return { type, subscriptionId: subscriptionId as string };
  return readJoin(fields, subscriptionId as string);
}

function readJoin(fields: Readonly<Record<string, unknown>>, subscriptionId: string): ClientMessage {
  const { streamName, groupId, id } = fields;
  const fault = nameFault('data.streamName', streamName) ?? nameFault('data.groupId', groupId)
    ?? (isAbsent(id) ? undefined : nameFault('data.id', id)) ?? resumeFault(fields);
  if (fault !== undefined) return { type: 'fault', message: fault, subscriptionId };
  const { epoch, lastSeq } = fields;
  return {
    type: 'join',
    data: {
      subscriptionId, streamName: streamName as string, groupId: groupId as string, id: isAbsent(id) ? undefined : id as string,
      from: isAbsent(epoch) || isAbsent(lastSeq) ? undefined : { epoch: epoch as string, lastSeq: lastSeq as number },
    },
  };
}

function resumeFault({ epoch, lastSeq }: Readonly<Record<string, unknown>>): string | undefined {
  if (!isAbsent(epoch) && (typeof epoch !== 'string' || epoch.length > MAX_EPOCH)) return 'data.epoch must be text that a message had';
  if (isAbsent(lastSeq) || (Number.isSafeInteger(lastSeq) && (lastSeq as number) >= 0)) return undefined;
  return 'data.lastSeq must be a whole number from 0';
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
