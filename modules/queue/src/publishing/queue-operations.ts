import { originOf, type Operation, type OperationSpec, type QueueMessage } from '@treadle/api';
import { checkMessages } from './message-arguments.js';
import type { Publisher } from './publisher.js';
import { queueError } from '../queue-errors.js';

/** For the module's declaration. */
export const QUEUE_OPERATIONS: readonly OperationSpec[] = [
  { name: 'queue.enqueue', summary: 'Stores messages for the Steps that consume their topics', bare: true },
];

/** `queue.enqueue`: what handlers call through `ctx.enqueue`. Its messages belong to the trace of the call. */
export function enqueueOperation(publisher: Publisher): Operation {
  return (args, { step, call }) => {
    const { messages } = (args ?? {}) as { readonly messages?: readonly QueueMessage[] };
    const { name, enqueues = [] } = step.config;
    for (const { topic } of checkMessages(messages)) {
      // Our own workers refuse it before they send; others may not.
      if (!enqueues.includes(topic)) throw queueError('TopicNotDeclared', `Step "${name}" enqueues to "${String(topic)}", which its "enqueues" does not list`);
    }
    const { atomic, step: by } = call.request;
    if (!atomic) return publisher.enqueue(messages as readonly QueueMessage[], originOf(call), by);
    return atomic.within(async () => publisher.hold(messages as readonly QueueMessage[], atomic, { origin: originOf(call), step: by }));
  };
}
