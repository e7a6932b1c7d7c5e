import { AdminError, type AdminCatalog } from '@treadle/api';
import { askModule } from '../api/ask-module.js';
import { refusalOf } from '../api/problem.js';
import type { DeadLetter, Job, JobRequest, Role, SelectionRequest } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';

/** What became of some objects. */
export interface Outcome {
  readonly done: number;
  readonly missing: number;
  readonly failures: Job['failures'];
}

/** What one call of an action is given. */
export interface Batch {
  readonly catalog: AdminCatalog;
  readonly ids: readonly string[];
  /** Of keys. */
  readonly group: string | undefined;
  readonly data: JobRequest['data'];
}

interface Action {
  readonly of: SelectionRequest['kind'];
  readonly role: Role;
  /** @throws when the job cannot go on at all */
  readonly run: (batch: Batch) => Promise<Outcome>;
}

/** What a job may do. */
export const ACTIONS: Readonly<Record<JobRequest['action'], Action>> = {
  redrive: { of: 'dead-letters', role: 'operator', run: (batch) => letters(batch, 'redrive', 'redriven') },
  discard: { of: 'dead-letters', role: 'operator', run: (batch) => letters(batch, 'discard', 'discarded') },
  delete: { of: 'state-keys', role: 'operator', run: deleteKeys },
};

async function letters(batch: Batch, verb: 'redrive' | 'discard', counted: 'redriven' | 'discarded'): Promise<Outcome> {
  const { catalog, ids, data } = batch;
  const body = { ids, ...data !== undefined && { data } };
  const answer = await askModule<Readonly<Record<typeof counted, number>> & { readonly notFound?: readonly string[] }>(catalog, { block: 'queue', method: 'POST', path: `/dead-letters/${verb}`, body })
    .catch((error: unknown) => (isNotFound(error) ? { [counted]: 0, notFound: ids } as { readonly [K in typeof counted]: number } & { readonly notFound: readonly string[] } : Promise.reject(error as Error)));
  if (!answer) throw new Refusal(404, 'module_not_loaded', 'the queue module is not there any more');
  const { [counted]: done, notFound = [] } = answer;
  const stayed = done + notFound.length === ids.length ? [] : await thoseThere(batch, new Set(notFound));
  const failures = stayed.map((id) => ({ id, code: 'not_redriven', detail: 'the subscription of this letter is not there any more; redrive it to another Step with toStep' }));
  return { done: ids.length - notFound.length - failures.length, missing: notFound.length, failures };
}

/** In which trace the message of a letter goes on, while it is dead; undefined: it is not there, or has none. */
export async function traceOfLetter(catalog: AdminCatalog, id: string): Promise<string | undefined> {
  return (await letterThere(catalog, id))?.traceId;
}

async function letterThere(catalog: AdminCatalog, id: string): Promise<DeadLetter | undefined> {
  return askModule<DeadLetter>(catalog, { block: 'queue', path: '/dead-letters/:id', params: { id } }).catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error as Error)));
}

/** Letters of a batch that are still dead. */
async function thoseThere({ catalog, ids }: Batch, missing: ReadonlySet<string>): Promise<readonly string[]> {
  const there: string[] = [];
  for (const id of ids) {
    if (!missing.has(id) && await letterThere(catalog, id) !== undefined) there.push(id);
  }
  return there;
}

async function deleteKeys({ catalog, ids, group = '' }: Batch): Promise<Outcome> {
  const [failures, counts] = [[] as { id: string; code: string; detail: string }[], { done: 0, missing: 0 }];
  await Promise.all(ids.map(async (key) => {
    try {
      const answer = await askModule(catalog, { block: 'state', method: 'DELETE', path: '/groups/:group/keys/:key', params: { group, key } });
      if (answer === undefined) throw new Refusal(404, 'module_not_loaded', 'the state module is not there any more');
      counts.done += 1;
    } catch (error) {
      if (isNotFound(error)) counts.missing += 1;
      else failures.push({ id: key, ...reasonOf(error) });
    }
  }));
  return { ...counts, failures };
}

function isNotFound(error: unknown): boolean {
  return error instanceof AdminError && error.code === 'not_found';
}

/** @throws the error when it tells nothing of a single object */
function reasonOf(error: unknown): { readonly code: string; readonly detail: string } {
  const refusal = refusalOf(error);
  if (refusal && refusal.code !== 'module_not_loaded') return { code: refusal.code, detail: refusal.message };
  throw error;
}
