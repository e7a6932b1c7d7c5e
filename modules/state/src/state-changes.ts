import {
  type ChangeFeed, type ClearChanges, type Json, type Origin, originFromText, originText, type PendingChange, type QueuePort, type StateAdapter, type StateWrite,
  type StoredChange, type Telemetry, WrittenJson,
} from '@treadle/api';

/** What of a write concerns triggers. */
export type Recording = Pick<StateWrite, 'recordChange' | 'origin'>;

const SILENT: Recording = { recordChange: false };

/** Hands writes that a state trigger matches to the queue; until it is attached, and without a queue, nothing is wanted. */
export class StateChanges {
  private feed: ChangeFeed | undefined;

  constructor(private readonly adapter: Pick<StateAdapter, 'pendingChanges' | 'settleChanges' | 'shared'>, private readonly telemetry?: Telemetry) {}

  /** Changes of a former run are taken up at once. */
  attach(queue: QueuePort): void {
    this.feed = queue.attachChanges({
      kind: 'state',
      pending: async (limit, after) => (await this.adapter.pendingChanges(limit, after)).map((change) => this.storedChange(change)),
      settle: (ids) => this.adapter.settleChanges(ids),
      shared: this.adapter.shared,
    });
  }

  /** Whether the write of a key leaves a change, and with which origin. Quick. */
  recording(group: string, key: string, origin: Origin | undefined): Recording {
    if (!this.feed?.wants({ kind: 'state', group, key })) return SILENT;
    return { recordChange: true, origin: originText(origin, this.telemetry) };
  }

  /** The same for the keys of a group that is cleared; undefined without a queue. */
  clearing(group: string, origin: Origin | undefined): ClearChanges | undefined {
    const { feed } = this;
    return feed && { wants: (key) => feed.wants({ kind: 'state', group, key }), origin: originText(origin, this.telemetry) };
  }

  /** A change may have been stored. */
  recorded(): void {
    this.feed?.recorded();
  }

  /** Resolves when no change is under way to the queue any more. Those that are pending are kept, and writes that still come leave theirs. */
  async close(): Promise<void> {
    await this.feed?.close();
  }

  /** As the queue takes it. */
  private storedChange(change: PendingChange): StoredChange {
    const { id, group, key, origin, bytes } = change;
    const stored = { id, subject: { kind: 'state', group, key }, origin: originFromText(origin, this.telemetry) } as const;
    if (bytes === undefined) return withInput(stored, inputOf(change));
    return {
      ...stored, bytes,
      get input(): WrittenJson {
        return inputOf(change);
      },
    };
  }
}

const withInput = (stored: Omit<StoredChange, 'input' | 'bytes'>, input: WrittenJson): StoredChange => ({ ...stored, input, bytes: input.text.length });

/** A value that is not there is null in the input; the type tells. */
function inputOf(change: PendingChange): WrittenJson {
  const { group, key } = change;
  const before = change.oldText ?? textOf(change.oldValue);
  const after = change.newText ?? textOf(change.newValue);
  const head = JSON.stringify({ type: changeType(before, after), group, key });
  return new WrittenJson(`${head.slice(0, -1)},"oldValue":${before ?? 'null'},"newValue":${after ?? 'null'}}`);
}

const textOf = (value: Json | undefined): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

function changeType(before: string | undefined, after: string | undefined): 'create' | 'update' | 'delete' {
  if (after === undefined) return 'delete';
  return before === undefined ? 'create' : 'update';
}
