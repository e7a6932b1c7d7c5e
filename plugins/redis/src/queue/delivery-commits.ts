import { DELETED_REVISION_MS, type CommitOutcome, type DeliveryCommit, OperationError, type StreamEvent } from '@treadle/api';
import { StateStore } from '../state/state-store.js';
import type { Arg } from '../store/connection.js';
import { StreamStore } from '../stream/stream-store.js';
import { argsOf, eventsOf, isOfState, isOfStream } from './commit-rows.js';
import { COMMIT } from './commit-script.js';
import { type Enqueuer, type Target, weightOf } from './enqueuer.js';
import { Gatherer } from './gatherer.js';
import type { QueueWork } from './queue-work.js';
import type { Known, Settler } from './settler.js';

interface Wanted {
  readonly commit: DeliveryCommit;
  readonly maxWaiting: number;
}

/** One whose claim may hold. */
interface Sent extends Wanted {
  readonly known: Known;
  readonly targets: readonly Target[];
}

/** Of a commit: what became of it, and more of it. */
type Reply = readonly [what: string, more?: string | number | readonly string[], ...items: readonly string[]];
type Replies = readonly [epoch: string, gone: number, ...replies: readonly Reply[]];

const LIMITS = {
  atOnce: 2, weight: 500_000,
  weightOf: ({ commit: { enqueue, writes }, maxWaiting }: Wanted): number =>
    weightOf({ messages: enqueue, maxWaiting }) + writes.reduce((sum, { decision }) => sum + 1_000 + (decision.action === 'set' ? decision.text?.length ?? 0 : 0), 1_000),
};

/** Ends claims together with what goes with them: all commits of a turn are one script, which looks at all of a commit before it writes any of it. */
export class DeliveryCommits {
  private readonly gatherer = new Gatherer<Wanted, CommitOutcome>(LIMITS, (wanted) => this.commit(wanted));

  constructor(private readonly work: QueueWork, private readonly settler: Settler, private readonly enqueuer: Enqueuer) {}

  /** @throws OperationError when no adapter of this engine has state or streams in this store */
  async commitMany(commits: readonly DeliveryCommit[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    for (const { writes } of commits) {
      if (writes.some(isOfState) && !this.state) throw notHere('state');
      if (writes.some(isOfStream) && !this.streams) throw notHere('streams');
    }
    return this.gatherer.add(commits.map((commit) => ({ commit, maxWaiting })));
  }

  /** Watchers hear of this engine's writes to streams in their order: those go through one lane. */
  private commit(wanted: readonly Wanted[]): Promise<readonly CommitOutcome[]> {
    const lane = wanted.some(({ commit }) => commit.writes.some(isOfStream)) ? this.streams?.lane : undefined;
    return lane ? lane.run(() => this.write(wanted)) : this.write(wanted);
  }

  private async write(wanted: readonly Wanted[]): Promise<readonly CommitOutcome[]> {
    const { work } = this;
    let sent: ReadonlyMap<Wanted, Sent> = new Map();
    const [epoch, gone, ...replies] = await work.current(async () => {
      await this.enqueuer.makeUnrouted(wanted.map(({ commit, maxWaiting }) => ({ messages: commit.enqueue, maxWaiting })));
      const args: Arg[] = [work.list.version, work.store.serverRun, DELETED_REVISION_MS];
      sent = new Map(wanted.flatMap((one) => {
        const added = this.add(one, args);
        return added ? [[one, added] as const] : [];
      }));
      return sent.size === 0 ? ['', 0] as Replies : work.run<Replies | null>(COMMIT, args);
    });
    const answers = new Map([...sent.keys()].map((one, index) => [one, replies[index] as Reply]));
    await this.tell([...sent.values()].filter((_one, index) => replies[index]?.[0] === 'ok'), epoch, answers);
    if (gone > 0) await this.settler.gone();
    return wanted.map((one) => this.outcomeOf(one, answers.get(one) ?? ['void']));
  }

  /** Writes a commit as the script wants it. Undefined: its claim is none of this store. */
  private add(wanted: Wanted, args: Arg[]): Sent | undefined {
    const { commit: { settle, writes, enqueue: messages }, maxWaiting } = wanted;
    const known = this.settler.knownOf(settle);
    if (!known) return undefined;
    args.push(...this.settler.argsOf(known), writes.length);
    for (const write of writes) args.push(...argsOf(write, this.work.time));
    return { ...wanted, known, targets: this.enqueuer.add({ messages, maxWaiting }, args) };
  }

  private async tell(done: readonly Sent[], epoch: string, answers: ReadonlyMap<Wanted, Reply>): Promise<void> {
    if (done.length === 0) return;
    this.settler.tell(done.map(({ known }) => known));
    this.enqueuer.tell(done.flatMap(({ targets }) => targets));
    const writes = done.flatMap(({ commit }) => commit.writes);
    if (writes.some((write) => isOfState(write) && write.change)) this.state?.changes.stored();
    const events: StreamEvent[] = [];
    for (const [{ commit }, [what, , ...items]] of answers) if (what === 'ok') events.push(...eventsOf(commit.writes, epoch, items));
    await this.streams?.happened(events, writes.some((write) => isOfStream(write) && write.change !== undefined));
  }

  private outcomeOf({ commit: { enqueue } }: Wanted, [what, more]: Reply): CommitOutcome {
    switch (what) {
      case 'ok': return { ok: true, ids: Array.isArray(more) ? more as readonly string[] : enqueue.map(({ id }) => id) };
      case 'conflict': return { ok: false, why: 'conflict', at: Number(more) };
      case 'full': return { ok: false, why: 'full', full: this.enqueuer.keyOf(Number(more)) };
      default: return { ok: false, why: 'void' };
    }
  }

  private get state(): StateStore | undefined {
    return StateStore.opened(this.work.store);
  }

  private get streams(): StreamStore | undefined {
    return StreamStore.opened(this.work.store);
  }
}

const notHere = (what: string): Error => new OperationError('StorageRefused', `nothing was stored: no adapter of this engine keeps ${what} under the queue's prefix`);
