import {
  AtomicEntries, type AtomicEntry, type AtomicPart, type AtomicRun, type Clock, type Json, mergedPage, type PendingStreamChange, type StateEntry, type StateGroupPage,
  type StateListOptions, type StreamAdapter, type StreamCommitWrite, type StreamDecision, type StreamGroup, type StreamItem, type StreamPosition, type StreamWrite,
  type StreamWriteResult, type Unsubscribe,
} from '@treadle/api';
import type { StreamService } from './stream-service.js';

/** What the streams of atomic runs are made of. */
export interface AtomicStreamsParts {
  readonly adapter: StreamAdapter;
  readonly clock: Clock;
  /** A service over what a run sees, on the rules of any other; `recorded` is called when changes for triggers were stored. */
  readonly serviceOver: (adapter: StreamAdapter) => StreamService;
  readonly recorded: () => void;
}

interface Place {
  readonly group: StreamGroup;
  readonly id: string;
}

interface Decision {
  readonly action: StreamDecision['action'];
  readonly value?: Json;
  readonly text?: string | undefined;
  readonly change: StreamWrite['change'];
}

type Entry = AtomicEntry<Place, Decision>;
type Sent = Parameters<StreamAdapter['send']>;

/** The streams of a run, on the rules of any other. @throws OperationError `AtomicConflict` when a reload has put another module in the place of the one that the run began with */
export function atomicStreams(run: AtomicRun, parts: AtomicStreamsParts): StreamService {
  const part = run.part('stream', () => new AtomicStreams(run, parts));
  return part.parts === parts ? part.service : run.conflict('the module that keeps streams');
}

/** What an atomic run reads and writes of streams. Events that are not stored are sent after its commit. */
class AtomicStreams implements AtomicPart, StreamAdapter {
  readonly service: StreamService;
  private readonly entries: AtomicEntries<Place, Decision>;
  private readonly sent: Sent[] = [];
  private recorded = false;

  /** `parts`: the same object for all runs of a module. */
  constructor(private readonly run: AtomicRun, readonly parts: AtomicStreamsParts) {
    const { adapter, clock } = parts;
    this.entries = new AtomicEntries(run, {
      read: ({ group, id }) => adapter.get(group, id), nameOf: ({ group, id }) => JSON.stringify([group.stream, group.groupId, id]),
      describe: ({ group, id }) => `item "${id}" of group "${group.groupId}" of stream "${group.stream}"`,
    });
    this.service = parts.serviceOver(this);
    this.service.open(clock);
  }

  get({ stream, groupId }: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.entries.get({ group: { stream, groupId }, id });
  }

  write({ stream, groupId, id, next, change }: StreamWrite): Promise<StreamWriteResult> {
    return this.entries.write({ group: { stream, groupId }, id }, (current) => ({ ...textOf(next(current)), change }));
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    const { items, position } = await this.parts.adapter.snapshot(group);
    const shown = new Map<string, StreamItem>();
    for (const item of items) {
      const { text, revision, decision } = this.entries.note({ group, id: item.id }, item);
      if (!decision) shown.set(item.id, item);
      else if (text !== null) shown.set(item.id, { id: item.id, value: JSON.parse(text) as Json, revision });
    }
    for (const { place, text, revision } of this.changed()) {
      if (text !== null && isSame(place.group, group) && !shown.has(place.id)) shown.set(place.id, { id: place.id, value: JSON.parse(text) as Json, revision });
    }
    return { items: [...shown.values()], position };
  }

  listGroups(stream: string, paging: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    const written = this.changed().filter(({ place }) => place.group.stream === stream);
    const added = [...new Set(written.filter(({ text }) => text !== null).map(({ place }) => place.group.groupId))];
    return mergedPage<string>(paging, (beneath) => this.parts.adapter.listGroups(stream, beneath), {
      nameOf: (groupId) => groupId, added,
      isGone: async (groupId) => written.some(({ place }) => place.group.groupId === groupId) && (await this.snapshot({ stream, groupId })).items.length === 0,
    });
  }

  async send(...sent: Sent): Promise<void> {
    this.run.keep(1, JSON.stringify(sent[1].data).length);
    this.sent.push(sent);
    return Promise.resolve();
  }

  /** Nobody watches what only this run sees. */
  watch(): Unsubscribe {
    return () => undefined;
  }

  writes(): readonly StreamCommitWrite[] {
    return this.entries.all().map((entry) => {
      const write = writeOf(entry);
      this.recorded ||= write.change !== undefined;
      return write;
    });
  }

  committed(): void {
    if (this.recorded) this.parts.recorded();
    // Nobody is promised them: what keeps one from being sent keeps it from nobody else.
    for (const sent of this.sent) this.parts.adapter.send(...sent).catch(() => undefined);
  }

  async pendingChanges(): Promise<readonly PendingStreamChange[]> {
    return Promise.resolve([]);
  }

  async settleChanges(): Promise<void> {
    return Promise.resolve();
  }

  private changed(): readonly Entry[] {
    return this.entries.all().filter(({ decision }) => decision !== undefined);
  }
}

const isSame = (a: StreamGroup, b: StreamGroup): boolean => a.stream === b.stream && a.groupId === b.groupId;

function textOf(made: StreamDecision): Omit<Decision, 'change'> {
  return made.action === 'set' ? { action: 'set', text: made.text ?? JSON.stringify(made.value) } : made;
}

function writeOf({ place, base, decision, text }: Entry): StreamCommitWrite {
  const compared = { slot: 'stream', ...place, ifRevision: base } as const;
  if (!decision || (text === null && base === 0)) return { ...compared, decision: { action: 'keep' } };
  if (text === null) return { ...compared, decision: { action: 'delete' }, change: decision.change?.('delete') };
  const change = decision.change?.(base === 0 ? 'create' : 'update');
  return { ...compared, change, decision: { action: 'set', text, get value() { return JSON.parse(text) as Json; } } };
}
