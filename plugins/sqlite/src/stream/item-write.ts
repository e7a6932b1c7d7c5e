import type { Json, StreamDecision, StreamEvent, StreamWrite, StreamWriteResult } from '@treadle/api';
import type { SqliteStore } from '../store/sqlite-store.js';
import { isQuick, storedEntry } from '../store/stored-entry.js';
import type { PreparedWrite } from '../store/prepared-write.js';
import type { Settled } from '../store/write-queue.js';
import type { GroupLog, PendingWrite } from './group-log.js';
import { rowOf } from './stream-area.js';
import type { StoredItem } from './stream-reader.js';

/** What a write starts from. */
export interface WriteStart {
  readonly log: GroupLog;
  /** In the database's form. */
  readonly item: string;
  readonly write: StreamWrite;
  /** What `next` was shown, durable or not. */
  readonly current: StoredItem | undefined;
  readonly decision: Exclude<StreamDecision, { readonly action: 'keep' }>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a write needs of its store. */
export interface WriteSurroundings {
  readonly writeToStore: SqliteStore['write'];
  nextOrd(): number;
  nextChange(): string;
}

/** One write of an item, from the decision until watchers were told. It is to be sent, or prepared, in the turn that it was made in. */
export class ItemWrite {
  /** Resolves once it is durable and was told. */
  readonly done: Promise<StreamWriteResult>;
  private readonly before: string | null;
  private readonly made: PendingWrite;
  private readonly kind: 'create' | 'update' | 'delete';
  private settledWith: { resolve(result: StreamWriteResult): void; reject(error: Error): void } | undefined;

  constructor(private readonly start: WriteStart, private readonly store: WriteSurroundings) {
    const { current, decision } = start;
    this.before = current?.text ?? null;
    const changed = this.before === null ? 'create' : 'update';
    this.kind = decision.action === 'delete' ? 'delete' : changed;
    this.made = this.make();
    this.done = new Promise((resolve, reject) => {
      this.settledWith = { resolve, reject };
    });
  }

  /** Writes it by itself. */
  send(): this {
    const { log, item } = this.start;
    const base = log.pending.get(item)?.latest.ticket;
    const { request, settled } = this.prepare();
    this.made.ticket = this.store.writeToStore(request, settled, base);
    return this;
  }

  /** For whoever writes it with something else. */
  prepare(): Required<PreparedWrite> {
    const { log, item, write } = this.start;
    const position = log.positionFor(this.kind === 'delete');
    const recorded = write.change?.(this.kind);
    const { text, ord, revision } = this.made;
    const change = recorded && [this.store.nextChange(), this.kind, text ?? this.before ?? 'null', recorded.origin] as const;
    const rows = [rowOf({ place: [log.stream, log.group, item], ord, text, revision, position, change })];
    const pending = log.pending.get(item);
    log.pending.set(item, { told: pending ? pending.told : this.start.current, latest: this.made });
    log.writes += 1;
    return {
      request: { operation: this.kind === 'delete' ? 'stream.delete' : 'stream.put', rows },
      sent: (ticket) => {
        this.made.ticket = ticket;
      },
      settled: (outcome) => this.settle(outcome, position?.[0]),
    };
  }

  private make(): PendingWrite {
    const { log, current, decision } = this.start;
    const lives = this.before !== null && current;
    const revision = (lives ? current.revision : Math.max(log.floor, current?.revision ?? 0)) + 1;
    const ord = lives ? current.ord : this.store.nextOrd();
    if (decision.action === 'delete') log.floor = Math.max(log.floor, revision);
    return { text: decision.action === 'set' ? decision.text ?? JSON.stringify(decision.value) : null, revision, ord, ticket: undefined, waiting: [] };
  }

  private settle(outcome: Settled, position: number | undefined): void {
    const { log } = this.start;
    log.writes -= 1;
    log.positionSettled(position, outcome.ok);
    if (!outcome.ok) {
      this.leave(false);
      this.settledWith?.reject(outcome.error);
      return;
    }
    log.emit({ id: this.start.write.id, event: this.event(), timestamp: this.start.now }, true, (error) => {
      if (!error) return this.told();
      // Stored, and nobody will be told of it any more.
      this.leave(false);
      this.settledWith?.reject(error);
    });
  }

  private told(): void {
    const { text, revision } = this.made;
    const pending = this.start.log.pending.get(this.start.item);
    if (pending) pending.told = this.made;
    this.leave(true);
    const { current } = this.start;
    this.settledWith?.resolve({
      before: this.before === null || !current ? undefined : storedEntry(this.before, current.revision),
      after: text === null ? undefined : storedEntry(text, revision),
    });
  }

  /** The item is as it is stored again, unless a later write of it is under way. */
  private leave(ok: boolean): void {
    const { log, item } = this.start;
    if (log.pending.get(item)?.latest === this.made) log.pending.delete(item);
    for (const resolve of this.made.waiting.splice(0)) resolve(ok);
  }

  private event(): StreamEvent['event'] {
    const { kind: type, made } = this;
    const text = made.text ?? this.before ?? 'null';
    const item = storedEntry(text, made.revision);
    if (isQuick(text)) return { type, data: item.value };
    return {
      type,
      get data(): Json {
        return item.value;
      },
    };
  }
}
