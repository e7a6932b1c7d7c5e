import { OperationError } from '@treadle/api';

/** Codes that `ctx.enqueue` and `engine.QueuePort` may fail with; they reach the handler as `error.code`. */
export type QueueErrorCode =
  /** A topic, delay, key, group or header that cannot be. */
  | 'QueueInvalidArgument'
  /** Data that is no JSON, or too large. */
  | 'InvalidValue'
  /** The Step's `enqueues` does not list the topic. */
  | 'TopicNotDeclared'
  /** The Step has no trigger of that kind and key that the queue delivers to. */
  | 'NoSuchTrigger'
  /** A subscription has as many messages as it may, or the disk is full. Nothing was stored. */
  | 'QueueFull'
  /** The store failed; whether the messages were stored is not known. */
  | 'QueueUnavailable'
  /** The adapter cannot do it. */
  | 'CAPABILITY_UNSUPPORTED';

/** Makes the rejection of an enqueue. */
export function queueError(code: QueueErrorCode, message: string, cause?: unknown): OperationError {
  return new OperationError(code, message, cause);
}

/** What a caller is told when the adapter rejected. */
export function storageError(cause: unknown): OperationError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof OperationError && cause.code === 'StorageFull') {
    return queueError('QueueFull', `the storage is full: ${reason}; free some space, consumption goes on`, cause);
  }
  return queueError('QueueUnavailable', `whether the messages were stored is not known: ${reason}`, cause);
}

/** True for the rejection that promises that nothing was written. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof OperationError && error.code === 'StorageFull';
}
