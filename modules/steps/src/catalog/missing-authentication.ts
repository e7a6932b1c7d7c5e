import type { StepRecord } from '@treadle/api';
import { roleOfFile } from '@treadle/worker/discover';
import { authenticationOf } from '../diagnostics/declaration-check.js';

/** A file of an application. */
export interface KnownFile {
  readonly file: string;
  readonly application?: string | undefined;
}

/** In place of a hash: it belongs to no config that was read. */
const UNREAD = 'unread';

/** True for a record that stands for a file of which nothing is known yet. */
export function isStandIn({ configHash }: StepRecord): boolean {
  return configHash === UNREAD;
}

/**
 * Adds to the Steps, when one of the files says who may connect to streams but is broken or not loaded yet, a record that
 * nobody serves: clients are refused rather than let in as if there were no such file.
 */
export function withAuthentication(steps: readonly StepRecord[], files: readonly KnownFile[]): readonly StepRecord[] {
  if (steps.some(({ role }) => role === 'stream-auth')) return steps;
  const known = files.find(({ file }) => roleOfFile(file) === 'stream-auth');
  return known ? [...steps, { ...authenticationOf(known.file, known.application), configHash: UNREAD }] : steps;
}
