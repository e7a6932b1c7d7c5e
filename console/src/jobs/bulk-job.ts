import { randomUUID } from 'node:crypto';
import { type AdminCatalog, type Clock, type Logger, wallTime } from '@treadle/api';
import { refusalOf } from '../api/problem.js';
import type { Job, JobRequest, JobSummary } from '../contract/index.js';
import { ACTIONS, traceOfLetter } from './actions.js';
import type { KeptSelection } from './selections.js';

/** Objects of one call, without a rate. */
const BATCH = 50;
const MOST_FAILURES = 100;

export interface BulkJobOptions {
  readonly catalog: AdminCatalog;
  readonly clock: Clock;
  readonly log: Logger;
  readonly request: JobRequest;
  readonly selection: KeptSelection;
  readonly who: string;
  readonly ended: (job: Job) => void;
}

/** An action over a frozen selection: batch by batch, so that it can be watched, paused and cancelled. */
export class BulkJob {
  readonly id = randomUUID();
  private readonly startedAt: string;
  private endedAt: string | undefined;
  private state: Job['state'] = 'running';
  private at = 0;
  private done = 0;
  private missing = 0;
  private failed = 0;
  private error: string | undefined;
  private first: Job['first'];
  private readonly failures: Job['failures'][number][] = [];
  private readonly count: number;
  private readonly selection: string;
  private readonly action: JobRequest['action'];
  /** What its objects are, and where. */
  private readonly of: Pick<Job, 'kind' | 'topic' | 'group'>;
  private readonly who: string;
  private wake: (() => void) | undefined;
  /** Emptied at the end: a finished job keeps no ids. */
  private ids: readonly string[];

  constructor(private options: BulkJobOptions | undefined) {
    const { selection: { shown, frozen }, request, clock, who } = options as BulkJobOptions;
    [this.ids, this.count, this.selection, this.action, this.who] = [frozen.ids, frozen.ids.length, shown.id, request.action, who];
    const { kind, topic, group } = frozen;
    this.of = { kind, ...topic !== undefined && { topic }, ...group !== undefined && { group } };
    this.startedAt = new Date(wallTime(clock)).toISOString();
  }

  get shown(): Job {
    return { ...this.summary, failures: [...this.failures] };
  }

  get summary(): JobSummary {
    const { id, selection, action, who, startedAt, endedAt, state, count, done, first, missing, failed, error } = this;
    return { id, selection, action, ...this.of, who, startedAt, ...endedAt !== undefined && { endedAt }, state, count, done, ...first && { first }, missing, failed, ...error !== undefined && { error } };
  }

  get isOver(): boolean {
    return this.endedAt !== undefined;
  }

  /** Resolves when it is over; never rejects. */
  async run(): Promise<void> {
    const { request, log } = this.options as BulkJobOptions;
    try {
      if (request.canary === true) {
        await this.one();
        if (this.at < this.count) this.state = this.state === 'running' ? 'paused' : this.state;
      }
      await this.rest();
      this.end(this.state === 'running' ? 'done' : 'cancelled');
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) log.error('a job failed', { job: this.id, error: String(error) });
      this.error = refusal?.message ?? "the job failed; the engine's log says more";
      this.end('failed');
    }
  }

  /** Nothing more until `resume`. */
  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    this.wake?.();
  }

  /** What is under way ends; the rest stays as it is. */
  cancel(): void {
    if (this.isOver) return;
    this.state = 'cancelled';
    this.wake?.();
  }

  /** The first one, with where to see what becomes of it. */
  private async one(): Promise<void> {
    const [id] = this.ids;
    if (id === undefined) return;
    const traceId = this.of.kind === 'dead-letters' ? await traceOfLetter((this.options as BulkJobOptions).catalog, id) : undefined;
    await this.batch(1);
    this.first = { id, ...traceId !== undefined && { traceId } };
  }

  private async rest(): Promise<void> {
    const { request: { perSecond } } = this.options as BulkJobOptions;
    // Ten times a second at most, however fast it is to go.
    const size = perSecond === undefined ? BATCH : Math.max(1, Math.min(BATCH, Math.floor(perSecond / 10)));
    while (this.at < this.count && this.state !== 'cancelled') {
      if (this.state === 'paused') await this.sleep();
      else {
        await this.batch(size);
        if (perSecond !== undefined && this.at < this.count) await this.sleep((size * 1_000) / perSecond);
      }
    }
  }

  private async batch(size: number): Promise<void> {
    const { catalog, request: { action, data }, selection: { frozen: { group } } } = this.options as BulkJobOptions;
    const ids = this.ids.slice(this.at, this.at + size);
    const { done, missing, failures } = await ACTIONS[action].run({ catalog, ids, group, data });
    this.at += ids.length;
    this.done += done;
    this.missing += missing;
    this.failed += failures.length;
    this.failures.push(...failures.slice(0, MOST_FAILURES - this.failures.length));
  }

  /** Until the time is over, or something has changed. */
  private sleep(ms?: number): Promise<void> {
    const { clock } = this.options as BulkJobOptions;
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : clock.after(ms, () => this.wake?.());
      this.wake = () => {
        this.wake = undefined;
        timer?.cancel();
        resolve();
      };
    });
  }

  private end(state: Job['state']): void {
    const { clock, ended } = this.options as BulkJobOptions;
    this.state = state;
    this.endedAt = new Date(wallTime(clock)).toISOString();
    [this.ids, this.options] = [[], undefined];
    ended(this.shown);
  }
}
