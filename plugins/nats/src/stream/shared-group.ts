import { type StreamEvent, type StreamGroup, type StreamPosition, type StreamWriteResult, TaskLane } from '@treadle/api';
import { CHANGES } from '../store/change-log.js';
import { inPortions } from '../store/in-portions.js';
import type { JetLog, Stored } from '../store/jet-log.js';
import { changesIn, decodeMessage, encodeMessage, type GroupMessage, toldEvent } from './group-message.js';
import { GroupPlan, type Job, type Outcome } from './group-plan.js';
import { GroupReplica } from './group-replica.js';

const REMOVED_AT_ONCE = 20;
/** So often a group is read while it does not have as many items as its last message says. */
const MOST_READS = 3;

/** What a group works with. */
export interface GroupParts {
  readonly log: JetLog;
  readonly epoch: string;
  readonly now: () => number;
  readonly tell: (event: StreamEvent) => void;
  /** A message of this engine was stored. */
  readonly stored: (subject: string, seq: number, changes: number) => void;
}

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: StreamWriteResult | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A group in one engine: what its log says, and the writes that go into it. A message is stored only while the one before it is the last that
 * this engine knows, so the events of a group have one order over all engines. Jobs that come while a message is under way share the next.
 */
export class SharedGroup {
  /** Who follows it. */
  uses = 0;
  /** When it was last needed, by `performance.now()`. */
  usedAt = performance.now();
  private replica = new GroupReplica();
  private known = false;
  /** Events up to this position have been told before. */
  private quietUpTo = 0;
  private waiting: Waiting[] = [];
  private refreshing: Promise<void> | undefined;
  private readonly lane = new TaskLane();

  constructor(private readonly of: StreamGroup, private readonly subject: string, private readonly parts: GroupParts) {}

  get idle(): boolean {
    return this.uses === 0 && this.lane.idle;
  }

  /** Sequence of the last message that is known here. */
  get last(): number {
    return this.replica.last;
  }

  run(job: Job): Promise<StreamWriteResult | undefined> {
    this.usedAt = performance.now();
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      if (this.waiting.length === 1) void this.lane.run(() => this.flush());
    });
  }

  /** What the group is after everything that was acknowledged before the call. */
  async fresh(): Promise<GroupReplica> {
    this.usedAt = performance.now();
    this.refreshing ??= Promise.resolve().then(() => this.lane.run(async () => {
      // Whoever asks from now on wants what comes after this.
      this.refreshing = undefined;
      await this.catchUp();
    }));
    await this.refreshing;
    return this.replica;
  }

  async follow(): Promise<() => void> {
    await this.fresh();
    this.uses += 1;
    let open = true;
    return () => {
      if (open) this.uses -= 1;
      open = false;
    };
  }

  async eventsAfter({ epoch, seq }: StreamPosition, limit: number): Promise<readonly StreamEvent[] | undefined> {
    if (epoch !== this.parts.epoch) return undefined;
    return (await this.fresh()).eventsAfter(seq, limit)?.map(([position, event]) => toldEvent(this.of, { epoch, seq: position }, event));
  }

  /** Removes messages that nobody needs. */
  async tidy(settled: number): Promise<void> {
    const needless = this.replica.needless(this.parts.now(), settled);
    if (needless.length === 0) return;
    await inPortions(needless, REMOVED_AT_ONCE, (seq) => this.parts.log.remove(seq));
    this.replica.forget(new Set(needless));
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    try {
      while (batch.length > 0) {
        const outcomes = await this.carryOut(batch.map(({ job }) => job));
        batch.splice(0, outcomes.length).forEach((waiting, index) => settle(waiting, outcomes[index]));
      }
    } catch (error) {
      // Whether it was stored is not known.
      this.known = false;
      for (const { reject } of batch) reject(error);
    }
  }

  /** Carries out the first of the jobs, as many as a message takes. */
  private async carryOut(jobs: readonly Job[]): Promise<readonly Outcome[]> {
    for (let sure = !this.known; ; sure = true) {
      if (sure) await this.catchUp();
      const plan = new GroupPlan(this.replica, this.parts.now());
      plan.plan(jobs);
      const { message } = plan;
      if (message ? await this.store(message) : sure) return plan.outcomes;
    }
  }

  private async store(message: GroupMessage): Promise<boolean> {
    const changes = changesIn(message);
    const headers = { [CHANGES]: changes > 0 ? String(changes) : undefined };
    const seq = await this.parts.log.append(this.subject, { text: encodeMessage(message), headers, after: this.replica.last });
    if (seq === undefined) return false;
    this.apply(seq, message, true);
    this.parts.stored(this.subject, seq, changes);
    return true;
  }

  /** Brings the replica up to the last message of the log. */
  private async catchUp(): Promise<void> {
    for (let reads = 0; !await this.readOn() || this.isDoubtful(reads); reads += 1) await this.readAnew();
    this.quietUpTo = 0;
    this.known = true;
  }

  /** Applies what came after the last message that is known here. False when that is not all: some of it has been removed, a deletion perhaps. */
  private async readOn(): Promise<boolean> {
    const { log } = this.parts;
    const last = await log.last(this.subject);
    if ((last?.seq ?? 0) < this.replica.last) this.startAnew(Infinity);
    if (!last || last.seq === this.replica.last) return true;
    if (this.applyNext(last)) return true;
    if (this.replica.last === 0) return false;
    for await (const message of log.read({ filter: this.subject, from: this.replica.last + 1 })) if (!this.applyNext(message)) return false;
    return true;
  }

  /** False: there was another one before it that is not known here. */
  private applyNext({ seq, text }: Stored): boolean {
    const content = decodeMessage(text);
    if (content.prev !== this.replica.last) return false;
    this.apply(seq, content, false);
    return true;
  }

  /** All that the log has; what was told before is not told again. */
  private async readAnew(): Promise<void> {
    this.startAnew(Math.max(this.quietUpTo, this.replica.seq));
    for await (const { seq, text } of this.parts.log.read({ filter: this.subject, from: 1 })) this.apply(seq, decodeMessage(text), false);
  }

  /** An item and then its deletion may have been removed between which the log was read. Where others have removed messages it stays so. */
  private isDoubtful(reads: number): boolean {
    return reads > 0 && reads < MOST_READS && !this.replica.isWhole;
  }

  /** What is known may be wrong: the log has lost its last messages, as a power cut can do, or has forgotten some before they came here. */
  private startAnew(quietUpTo: number): void {
    this.replica = new GroupReplica();
    this.quietUpTo = quietUpTo;
  }

  private apply(seq: number, message: GroupMessage, own: boolean): void {
    if (seq <= this.replica.last) return;
    this.replica.apply(seq, message);
    if (!own && this.uses === 0) return;
    message.events.forEach((event, index) => {
      const position = message.first + index;
      if (position > this.quietUpTo) this.parts.tell(toldEvent(this.of, { epoch: this.parts.epoch, seq: position }, event));
    });
  }
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (outcome && 'thrown' in outcome) reject(outcome.thrown);
  else resolve(outcome?.result);
}
