import { TreadleError, treadleError, type CheckedSurroundings } from '@treadle/api';
import { conflictErrors } from './capabilities.js';
import type { PlanContext } from './context.js';
import type { DraftEntry } from './draft-entry.js';

/** What modules find wrong around a config: CONFIG_CONFLICT at the key. All are asked at once. */
export async function checkSurroundings(context: PlanContext, drafts: readonly DraftEntry[], around: CheckedSurroundings): Promise<void> {
  const found = await Promise.all(drafts.map((draft) => findingsOf(draft, around)));
  context.issues.add(...found.flat());
}

async function findingsOf(draft: DraftEntry, around: CheckedSurroundings): Promise<readonly TreadleError[]> {
  const { spec, config, entry } = draft;
  try {
    return conflictErrors(await spec.check?.(config, around) ?? [], draft);
  } catch (error) {
    // A faulty config may lack what the check relies on.
    if (draft.faulty) return [];
    // Such as a faulty variable: it has no place in the file.
    if (error instanceof TreadleError) return [error];
    return [treadleError('INTERNAL', { reason: `${spec.id}: check() threw ${String(error)}` }, { at: entry.classAt, cause: error })];
  }
}
