import { type CommitOutcome, type DeliveryCommit, OperationError, type StateCommitWrite, type StoreWrite, type StreamCommitWrite } from '@treadle/api';
import { writeState } from '../state/state-commit.js';
import { StateStore } from '../state/state-store.js';
import type { Queries } from '../store/connections.js';
import { writeItems } from '../stream/stream-commit.js';
import { StreamStore } from '../stream/stream-store.js';
import { type Enqueuer, KeyTaken } from './enqueuer.js';
import type { EnqueuePlan } from './enqueue-plan.js';
import type { QueueWork } from './queue-work.js';
import type { Known, Settler } from './settler.js';

/** Rolls the transaction back: this became of the commit. */
class Refused extends Error {
  constructor(readonly outcome: CommitOutcome) {
    super('the commit was refused');
  }
}

/** What is carried out. */
interface Planned {
  readonly commit: DeliveryCommit;
  readonly known: Known;
  readonly plan: EnqueuePlan;
}

/** Ends claims together with what goes with them: each commit is a transaction of its own. What it compares is locked until its end. */
export class DeliveryCommits {
  constructor(private readonly work: QueueWork, private readonly settler: Settler, private readonly enqueuer: Enqueuer) {}

  async commitMany(commits: readonly DeliveryCommit[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    const ended = await Promise.allSettled(commits.map((commit) => this.commit(commit, maxWaiting)));
    // Not before all of them have ended: whoever tries again must not meet one that is still under way.
    return ended.map((one) => {
      if (one.status === 'rejected') throw one.reason as Error;
      return one.value;
    });
  }

  /** Watchers hear of this engine's writes to streams in their order: those go through one lane. */
  private commit(commit: DeliveryCommit, maxWaiting: number): Promise<CommitOutcome> {
    const lane = commit.writes.some(isOfStream) ? this.streams.writer.lane : undefined;
    const attempt = (): Promise<CommitOutcome> => this.work.current(() => this.attempt(commit, maxWaiting));
    return lane ? lane.run(attempt) : attempt();
  }

  /** Undefined: it went by an old list of subscriptions, or by keys that others have used meanwhile. */
  private async attempt(commit: DeliveryCommit, maxWaiting: number): Promise<CommitOutcome | undefined> {
    const { settle, enqueue: messages } = commit;
    const [known] = this.settler.knownOf([settle]);
    if (!known) return { ok: false, why: 'void' };
    await this.enqueuer.makeUnrouted([{ messages }]);
    const plan = await this.enqueuer.planOf([{ messages, maxWaiting }]);
    const [outcome] = plan.outcomes;
    if (outcome?.ok === false) return { ok: false, why: 'full', full: outcome.full };
    try {
      await this.carryOut({ commit, known, plan });
      return { ok: true, ids: outcome?.ids ?? [] };
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof Refused) return cause.outcome;
      if (cause instanceof KeyTaken) return undefined;
      this.work.counts.forget(plan.added.keys());
      throw error;
    }
  }

  private async carryOut(planned: Planned): Promise<void> {
    const { known, plan, commit: { writes } } = planned;
    const tell = await this.work.store.connections.transaction((within) => this.writeAll(within, planned));
    await this.settler.ended([known]);
    this.enqueuer.stored(plan);
    if (writes.some((write) => isOfState(write) && write.change)) this.state.changes.stored();
    await tell();
  }

  /** In the order in which everybody takes these locks. Gives whom to call after the commit. */
  private async writeAll(within: Queries, { commit: { writes }, known, plan }: Planned): Promise<() => Promise<void>> {
    const settled = await this.settler.writeWithin(within, known);
    if (settled === undefined) throw new KeyTaken();
    if (!settled) throw new Refused({ ok: false, why: 'void' });
    const [state, items] = [writes.filter(isOfState), writes.filter(isOfStream)];
    const failed = state.length > 0 ? await writeState(within, this.state.store, state) : undefined;
    if (failed) throw new Refused({ ok: false, why: 'conflict', at: writes.indexOf(failed) });
    const written = items.length > 0 ? await writeItems(within, this.streams.writer, items) : { tell: () => Promise.resolve() };
    if (written.failed) throw new Refused({ ok: false, why: 'conflict', at: writes.indexOf(written.failed) });
    await this.enqueuer.writeWithin(within, plan);
    return written.tell;
  }

  private get state(): StateStore {
    return StateStore.opened(this.work.store) ?? notHere('state');
  }

  private get streams(): StreamStore {
    return StreamStore.opened(this.work.store) ?? notHere('streams');
  }
}

const isOfState = (write: StoreWrite): write is StateCommitWrite => write.slot === 'state';
const isOfStream = (write: StoreWrite): write is StreamCommitWrite => write.slot === 'stream';

function notHere(what: string): never {
  throw new OperationError('StorageRefused', `nothing was stored: no adapter of this engine keeps ${what} in the queue's schema`);
}
