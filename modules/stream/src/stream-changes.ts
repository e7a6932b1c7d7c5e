import { type ChangeSource, type Json, originFromText, type StoredChange, type StreamAdapter, type Telemetry } from '@treadle/api';

/** The stored changes of streams, as the queue delivers them to stream triggers. */
export function streamChanges(adapter: Pick<StreamAdapter, 'pendingChanges' | 'settleChanges'>, telemetry?: Telemetry): ChangeSource {
  return {
    kind: 'stream',
    pending: async (limit, after) => (await adapter.pendingChanges(limit, after)).map(({ id, stream, groupId, itemId, type, data, origin }): StoredChange => ({
      id,
      subject: { kind: 'stream', streamName: stream, groupId, id: itemId, event: type },
      input: { streamName: stream, groupId, id: itemId, event: { type, data } } satisfies Json,
      origin: originFromText(origin, telemetry),
    })),
    settle: (ids) => adapter.settleChanges(ids),
  };
}
