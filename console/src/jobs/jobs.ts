import { type AdminCatalog, type Clock, type Logger, wallTime } from '@treadle/api';
import { type Caller, includes } from '../access/caller.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Job, JobSummary } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import { ACTIONS } from './actions.js';
import { BulkJob } from './bulk-job.js';
import { jobRequest } from './job-request.js';
import type { KeptSelection, Selections } from './selections.js';

/** Jobs that are known. */
const MOST = 100;
/** Jobs that are not over. */
const MOST_OPEN = 10;

export interface JobsOptions {
  readonly catalog: AdminCatalog;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit: AuditLog;
  readonly selections: Selections;
}

/** Who begins a job. */
export interface JobStart {
  readonly caller: Caller;
  readonly remote: string;
  readonly body: unknown;
}

/** Bulk actions: they go on whoever looks, until they are over or the engine ends. */
export class Jobs {
  private readonly jobs = new Map<string, BulkJob>();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly options: JobsOptions) {}

  /** Begins one, and says for which selection. @throws {Refusal} 400, 403, 404, 409 */
  start({ caller, remote, body }: JobStart): { readonly job: Job; readonly hash: string } {
    const { selections, catalog, clock, log } = this.options;
    const request = jobRequest(body);
    const selection = selections.get(request.selection);
    requireFitting(selection, request.action, caller);
    const { shown: { count, hash } } = selection;
    if (request.count !== count) throw new Refusal(409, 'count_differs', `the selection holds ${count} objects, and "count" says ${request.count}`);
    if ([...this.jobs.values()].filter(({ isOver }) => !isOver).length >= MOST_OPEN) throw new Refusal(409, 'too_many_jobs', `${MOST_OPEN} jobs are running or paused; cancel one, or wait`);
    selections.remove(request.selection);
    const job = new BulkJob({ catalog, clock, log, request, selection, who: caller.name, ended: (over) => this.ended(over, { caller, remote, hash }) });
    this.jobs.set(job.id, job);
    this.forget();
    const running = job.run().finally(() => this.running.delete(running));
    this.running.add(running);
    return { job: job.shown, hash };
  }

  /** The latest first, without what did not go through: it is asked for often. */
  list(): readonly JobSummary[] {
    return [...this.jobs.values()].reverse().map(({ summary }) => summary);
  }

  /** @throws {Refusal} 404 */
  get(id: string): BulkJob {
    const job = this.jobs.get(id);
    if (job) return job;
    throw new Refusal(404, 'not_found', `there is no job "${id.slice(0, 100)}"; the last ${MOST} are known until the engine ends`);
  }

  /** Cancels what is not over, and waits for what is under way. */
  async close(): Promise<void> {
    for (const job of this.jobs.values()) job.cancel();
    await Promise.all([...this.running]);
  }

  private ended({ id, action, state, count, done, missing, failed, error }: Job, { caller: { name: who, role }, remote, hash: selection }: { readonly caller: Caller; readonly remote: string; readonly hash: string }): void {
    const { audit, log, clock } = this.options;
    const result = `${action} ${state}: ${done} of ${count} done, ${missing} missing, ${failed} failed${error === undefined ? '' : `; ${error}`}`;
    log.info('a job is over', { job: id, action, state, count, done, missing, failed, who });
    audit.add({ time: new Date(wallTime(clock)).toISOString(), who, role, remote, method: 'JOB', path: `/api/v1/jobs/${id}`, selection, status: state === 'failed' ? 500 : 200, result });
  }

  private forget(): void {
    for (const [id, { isOver }] of this.jobs) {
      if (this.jobs.size <= MOST) return;
      if (isOver) this.jobs.delete(id);
    }
  }
}

function requireFitting({ shown: { kind } }: KeptSelection, action: keyof typeof ACTIONS, { name, role }: Caller): void {
  const { of, role: needed } = ACTIONS[action];
  if (of !== kind) throw new Refusal(400, 'invalid_argument', `"${action}" is for ${of}, and the selection holds ${kind}`);
  if (!includes(role, needed)) throw new Refusal(403, 'role_refused', `"${action}" is for the role ${needed}; "${name}" has the role ${role}`);
}
