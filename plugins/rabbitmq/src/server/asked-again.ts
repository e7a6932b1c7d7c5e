import { OperationError } from '@treadle/api';

/** A question that failed so soon is asked again: all of it takes no longer than an answer may; milliseconds. */
const SOON_MS = 1_500;

/**
 * What changes nothing when it is asked twice. RabbitMQ 3.10 ends a whole connection when one of its channels listens to a quorum queue in the moment in which another
 * engine makes it; what else was asked on that connection is no part of it, and there is another connection at once.
 * @throws {OperationError}
 */
export async function askedAgain<T>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + SOON_MS;
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OperationError) || error.code !== 'StorageUnavailable' || performance.now() > until) throw error;
    return ask();
  }
}
