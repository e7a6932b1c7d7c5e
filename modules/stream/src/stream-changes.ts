import {
  type ChangeSource, originFromText, type PendingStreamChange, type StoredChange, type StreamAdapter, type Telemetry, WrittenJson,
} from '@treadle/api';

/** The stored changes of streams, as the queue delivers them to stream triggers. */
export function streamChanges(adapter: Pick<StreamAdapter, 'pendingChanges' | 'settleChanges' | 'shared'>, telemetry?: Telemetry): ChangeSource {
  return {
    kind: 'stream',
    pending: async (limit, after) => (await adapter.pendingChanges(limit, after)).map((change) => storedChange(change, telemetry)),
    settle: (ids) => adapter.settleChanges(ids),
    shared: adapter.shared?.changes,
  };
}

function storedChange(change: PendingStreamChange, telemetry: Telemetry | undefined): StoredChange {
  const { id, stream: streamName, groupId, itemId, type, origin, bytes } = change;
  const stored = { id, subject: { kind: 'stream', streamName, groupId, id: itemId, event: type }, origin: originFromText(origin, telemetry) } as const;
  if (bytes === undefined) return withInput(stored, inputOf(change));
  return {
    ...stored, bytes,
    get input(): WrittenJson {
      return inputOf(change);
    },
  };
}

const withInput = (stored: Omit<StoredChange, 'input' | 'bytes'>, input: WrittenJson): StoredChange => ({ ...stored, input, bytes: input.text.length });

function inputOf(change: PendingStreamChange): WrittenJson {
  const { stream: streamName, groupId, itemId, type } = change;
  const place = JSON.stringify({ streamName, groupId, id: itemId });
  return new WrittenJson(`${place.slice(0, -1)},"event":{"type":"${type}","data":${change.text ?? JSON.stringify(change.data)}}}`);
}
