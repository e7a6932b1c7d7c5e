import { type CommitOutcome, type DeliveryCommit, OperationError } from '@treadle/api';
import { StateTable } from '../state/state-table.js';
import { StreamTable } from '../stream/stream-table.js';
import { CommitGroup, type CommitGroupParts, type CommitTables, isOfState, isOfStream } from './commit-group.js';
import type { Enqueuer } from './enqueuer.js';
import type { QueueWork } from './queue-work.js';
import type { Settler } from './settler.js';

/** What a call of `commitMany` is carried out with. */
type Around = Pick<CommitGroupParts, 'tables' | 'maxWaiting'>;

/**
 * Ends claims together with what goes with them. The newest of everything is in memory, so that a commit is decided within one turn; all
 * of a call are then one request to the store.
 */
export class DeliveryCommits {
  constructor(private readonly work: QueueWork, private readonly settler: Settler, private readonly enqueuer: Enqueuer) {}

  async commitMany(commits: readonly DeliveryCommit[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    const around = { tables: await this.tablesOf(commits), maxWaiting };
    await this.enter();
    // Ends of which nothing goes along free space: they are carried out on a full disk, too.
    const groups = [commits.filter(isBare), commits.filter((commit) => !isBare(commit))];
    const ended = await Promise.allSettled(groups.map((group) => this.commit(group, around)));
    // Not before all of them have ended: whoever tries again must not meet one that is still under way.
    const [bare, others] = ended.map((one) => {
      if (one.status === 'rejected') throw one.reason as Error;
      return one.value[Symbol.iterator]();
    });
    return commits.map((commit) => (isBare(commit) ? bare : others)?.next().value as CommitOutcome);
  }

  /** Where one of several is refused by the database, each is tried by itself: the others are none the worse for it. */
  private async commit(commits: readonly DeliveryCommit[], around: Around): Promise<readonly CommitOutcome[]> {
    if (commits.length === 0) return [];
    const { work, settler, enqueuer } = this;
    try {
      return await new CommitGroup(commits, { work, settler, enqueuer, ...around }).write();
    } catch (error) {
      if (commits.length === 1 || !(error instanceof OperationError) || error.code !== 'StorageRefused') throw error;
    }
    // Its subscription may have been paused or retired meanwhile.
    await this.enter();
    const ended = await Promise.allSettled(commits.map((commit) => this.commit([commit], around)));
    return ended.map((one) => {
      if (one.status === 'rejected') throw one.reason as Error;
      return one.value[0] as CommitOutcome;
    });
  }

  /** Waits while subscriptions are being changed; what is decided in the same turn goes by them as they are then. */
  private async enter(): Promise<void> {
    const { gate } = this.work;
    while (gate.waiting) await gate.waiting;
  }

  /** @throws OperationError when no adapter of the engine has state or streams in this store */
  private async tablesOf(commits: readonly DeliveryCommit[]): Promise<CommitTables> {
    const { store } = this.work;
    const wants = (is: typeof isOfState | typeof isOfStream): boolean => commits.some(({ writes }) => writes.some(is));
    const tables = { state: StateTable.opened(store), streams: wants(isOfStream) ? await StreamTable.opened(store) : undefined };
    if (!tables.state && wants(isOfState)) throw notHere('state');
    if (!tables.streams && wants(isOfStream)) throw notHere('streams');
    return tables;
  }
}

const isBare = ({ enqueue, writes }: DeliveryCommit): boolean => enqueue.length === 0 && writes.length === 0;

const notHere = (what: string): Error => new OperationError('StorageRefused', `nothing was stored: no adapter of this engine keeps ${what} in the queue's store`);
