import {
  type AtomicRun, type Call, type Json, type Operation, type OperationSpans, type OperationSpec, type Origin, originOf, type StateListOptions, type StreamPort, type UpdateOperation,
} from '@treadle/api';
import { streamError } from './stream-errors.js';
import type { StreamService } from './stream-service.js';
import { spanAttributes } from './stream-telemetry.js';

/** As a well-behaved caller sends them; the service checks each one. */
interface Arguments extends StateListOptions {
  readonly stream: string;
  readonly groupId: string;
  readonly id: string;
  readonly item: Json;
  readonly ops: readonly UpdateOperation[];
  readonly event: { readonly type: string; readonly data: Json };
}

/** The port, and the write whose result goes back as it was written. */
export type WritingStreams = Omit<StreamPort, 'set'> & Pick<StreamService, 'put'>;

/** The streams of a run, which are kept until its end. */
export type StreamsOfRun = (run: AtomicRun) => WritingStreams;

type Run = (streams: WritingStreams, args: Arguments, origin: Origin) => Promise<unknown>;

/** What handlers call through `ctx.streams`: arguments as they come from any language, results as `ctx.streams` types them. */
const OPERATIONS: Readonly<Record<string, { readonly summary: string; readonly run: Run }>> = {
  'stream.get': { summary: 'An item, or null', run: (streams, { id, ...group }) => streams.get(group, id) },
  'stream.set': { summary: 'Stores an item and tells its group', run: (streams, { id, item, ...group }, origin) => streams.put(group, id, item, origin) },
  'stream.delete': { summary: 'Removes an item and tells its group', run: (streams, { id, ...group }, origin) => streams.delete(group, id, origin) },
  'stream.update': {
    summary: 'Changes an item atomically by a list of operations and tells its group',
    run: (streams, { id, ops, ...group }, origin) => streams.update(group, id, ops, origin),
  },
  'stream.list': { summary: 'Items of a group', run: (streams, group) => streams.list(group) },
  'stream.listGroups': { summary: 'Groups that hold an item, page by page', run: (streams, { stream, ...options }) => streams.listGroups(stream, options) },
  'stream.send': {
    summary: 'Tells a group or an item of an event that is not stored',
    run: (streams, { id, event, ...group }) => streams.send(group, { ...event, id }),
  },
};

/** For the module's declaration. */
export const STREAM_OPERATIONS: readonly OperationSpec[] = Object.entries(OPERATIONS).map(([name, { summary }]) => ({ name, summary, bare: true }));

/** The operations over streams, by name; with a span each when there is somebody to write them. */
export function streamOperations(streams: WritingStreams, spans?: OperationSpans, atomic?: StreamsOfRun): readonly (readonly [name: string, operation: Operation])[] {
  return Object.entries(OPERATIONS).map(([name, { run: work }]) => {
    const plain = operationOver(name, work, spans);
    return [name, (args, { call }) => {
      const { atomic: run } = call.request;
      return run && atomic ? run.within(() => plain(atomic(run), args, call)) : plain(streams, args, call);
    }] as const;
  });
}

function operationOver(name: string, run: Run, spans: OperationSpans | undefined): (streams: WritingStreams, args: unknown, call: Call) => Promise<unknown> {
  return async (streams, args, call) => {
    if (typeof args !== 'object' || args === null) throw streamError('StreamInvalidArgument', `${name} takes an object of arguments`);
    const given = args as Arguments;
    if (!spans) return run(streams, given, originOf(call));
    return spans.run(call, name, (origin) => run(streams, given, origin), (result) => spanAttributes(given, result));
  };
}
