import type { CommitOutcome, DeliveryCommit, OperationError, StateCommitWrite, StoreWrite, StreamCommitWrite } from '@treadle/api';
import type { StateTable } from '../state/state-table.js';
import { type PreparedWrite, writeTogether } from '../store/prepared-write.js';
import type { ItemLook, StreamTable } from '../stream/stream-table.js';
import { type Enqueuer, renamedBy, type StagedMessages } from './enqueuer.js';
import type { QueueWork } from './queue-work.js';
import type { Settler, StagedEnds } from './settler.js';

/** Where what is committed goes; of state and streams only what a commit has writes for. */
export interface CommitTables {
  readonly state: StateTable | undefined;
  readonly streams: StreamTable | undefined;
}

/** What a group is decided with. */
export interface CommitGroupParts {
  readonly work: QueueWork;
  readonly settler: Settler;
  readonly enqueuer: Enqueuer;
  readonly tables: CommitTables;
  readonly maxWaiting: number;
}

/** Commits that are decided one after the other within a turn, and are one request to the store: what it costs is shared by all of them. */
export class CommitGroup {
  private readonly ends: StagedEnds;
  private readonly messages: StagedMessages;
  private readonly writes: PreparedWrite[] = [];
  private readonly told: Promise<unknown>[] = [];
  private readonly outcomes: readonly CommitOutcome[];

  /** @throws OperationError when one cannot be decided; then the others are as if they had not been */
  constructor(commits: readonly DeliveryCommit[], private readonly parts: CommitGroupParts) {
    this.ends = parts.settler.stage();
    this.messages = parts.enqueuer.stage();
    try {
      this.outcomes = commits.map((commit) => this.decide(commit));
    } catch (error) {
      this.takeBack(error as OperationError);
      throw error;
    }
  }

  /** Has to be called in the turn in which the group was made. @throws OperationError when nothing of it was written */
  async write(): Promise<readonly CommitOutcome[]> {
    const ends = this.ends.prepare();
    if (!ends) return this.outcomes;
    let repeats: ReadonlyMap<string, string> = new Map();
    const messages = this.messages.prepare((found) => {
      repeats = found;
    });
    await new Promise<void>((resolve, reject) => {
      const writes = [ends, ...messages ? [messages] : [], ...this.writes];
      writeTogether(this.parts.work.store, writes, (outcome) => (outcome.ok ? resolve() : reject(outcome.error)));
    }).finally(() => Promise.allSettled(this.told));
    return repeats.size === 0 ? this.outcomes : this.outcomes.map((outcome) => (outcome.ok ? { ok: true, ids: renamedBy(repeats, outcome.ids) } : outcome));
  }

  /** As if it had been written and refused. */
  private takeBack(error: OperationError): void {
    void Promise.allSettled(this.told);
    for (const write of [this.ends.prepare(), this.messages.prepare(() => undefined), ...this.writes]) write?.settled({ ok: false, error });
  }

  private decide(commit: DeliveryCommit): CommitOutcome {
    const looks: ItemLook[] = [];
    const refused = this.refusal(commit, looks);
    if (refused) return refused;
    const { streams, state } = this.parts.tables;
    this.ends.add(commit.settle);
    this.messages.add(commit.enqueue);
    for (const write of commit.writes) {
      const prepared = isOfState(write) ? state?.prepare(write) : undefined;
      if (prepared) this.writes.push(prepared);
    }
    for (const look of looks) {
      const item = streams?.prepare(look);
      if (!item) continue;
      this.told.push(item.done);
      this.writes.push(item.prepare());
    }
    return { ok: true, ids: commit.enqueue.map(({ id }) => id) };
  }

  /** Fills `looks` with the items as they are. */
  private refusal({ settle: { claim }, enqueue, writes }: DeliveryCommit, looks: ItemLook[]): CommitOutcome | undefined {
    const { work, tables, enqueuer, maxWaiting } = this.parts;
    if (!work.lanes.get(claim)?.claimed(claim)) return { ok: false, why: 'void' };
    for (const [at, write] of writes.entries()) {
      const look = isOfStream(write) ? tables.streams?.look(write) : undefined;
      if (look) looks.push(look);
      else if (!isOfState(write) || tables.state?.holds(write) !== true) return { ok: false, why: 'conflict', at };
    }
    const full = enqueue.length > 0 ? enqueuer.fullAfter(enqueue, maxWaiting) : undefined;
    return full && { ok: false, why: 'full', full };
  }
}

export const isOfState = (write: StoreWrite): write is StateCommitWrite => write.slot === 'state';
export const isOfStream = (write: StoreWrite): write is StreamCommitWrite => write.slot === 'stream';
