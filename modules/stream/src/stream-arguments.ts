import { type CheckedListOptions, checkListOptions as checkOptions, type Json, nameFault, type StreamGroup } from '@treadle/api';
import { toJson } from '@treadle/json';
import { streamError } from './stream-errors.js';

/** Any text of 1 to 512 bytes is a name. @throws OperationError `StreamInvalidArgument` */
export function checkName(what: 'stream' | 'groupId' | 'id', value: unknown): string {
  const fault = nameFault(what, value);
  if (fault !== undefined) throw invalid(fault);
  return value as string;
}

/** @throws OperationError `StreamInvalidArgument` */
export function checkGroup({ stream, groupId }: StreamGroup): StreamGroup {
  return { stream: checkName('stream', stream), groupId: checkName('groupId', groupId) };
}

/** @throws OperationError `StreamInvalidArgument`, `InvalidValue` */
export function checkEvent(event: unknown): { readonly type: string; readonly data: Json } {
  const { type, data } = (event ?? {}) as { type?: unknown; data?: unknown };
  const fault = nameFault('the type of the event', type);
  if (fault !== undefined) throw invalid(fault);
  return { type: type as string, data: toJson(data ?? null) };
}

/** @throws OperationError `StreamInvalidArgument` */
export function checkListOptions(options: unknown): CheckedListOptions {
  return checkOptions(options, invalid);
}

const invalid = (fault: string): Error => streamError('StreamInvalidArgument', fault);
