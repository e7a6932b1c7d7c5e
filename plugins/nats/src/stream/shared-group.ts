import { type StreamEvent, type StreamGroup, type StreamPosition, type StreamWriteResult, TaskLane } from '@treadle/api';
import { CHANGES } from '../store/change-log.js';
import { inPortions } from '../store/in-portions.js';
import type { JetLog, Stored } from '../store/jet-log.js';
import { changesIn, decodeMessage, encodeMessage, type GroupMessage, toldEvent } from './group-message.js';
import { GroupPlan, type Job, type Outcome } from './group-plan.js';
import { GroupReplica } from './group-replica.js';

const REMOVED_AT_ONCE = 20;

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
  /** What is read has been told before. */
  private quiet = false;
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
    const { log } = this.parts;
    const last = await log.last(this.subject);
    if ((last?.seq ?? 0) < this.replica.last) this.startAnew();
    if (last && last.seq !== this.replica.last) await this.readUpTo(last);
    this.quiet = false;
    this.known = true;
  }

  /** The log has lost its last messages, as a power cut can do: what it has is read again, and nothing of it is told twice. */
  private startAnew(): void {
    this.replica = new GroupReplica();
    this.quiet = true;
  }

  private async readUpTo(last: Stored): Promise<void> {
    const content = decodeMessage(last.text);
    if (content.prev !== this.replica.last || this.replica.last === 0) {
      for await (const { seq, text } of this.parts.log.read({ filter: this.subject, from: this.replica.last + 1 })) this.apply(seq, decodeMessage(text), false);
    } else {
      this.apply(last.seq, content, false);
    }
  }

  private apply(seq: number, message: GroupMessage, own: boolean): void {
    if (seq <= this.replica.last) return;
    this.replica.apply(seq, message);
    if (this.quiet || (!own && this.uses === 0)) return;
    message.events.forEach((event, index) => this.parts.tell(toldEvent(this.of, { epoch: this.parts.epoch, seq: message.first + index }, event)));
  }
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (outcome && 'thrown' in outcome) reject(outcome.thrown);
  else resolve(outcome?.result);
}
