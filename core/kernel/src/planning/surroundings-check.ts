import { TreadleError, treadleError, type CheckedSurroundings } from '@treadle/api';
import { placeOf } from './capabilities.js';
import type { PlanContext } from './context.js';
import type { DraftEntry } from './entries.js';

/** What modules find wrong around a config that is valid in itself: CONFIG_CONFLICT at the key. All are asked at once. */
export async function checkSurroundings(context: PlanContext, drafts: readonly DraftEntry[], around: CheckedSurroundings): Promise<void> {
  const found = await Promise.all(drafts.map((draft) => findingsOf(draft, around)));
  context.issues.add(...found.flat());
}

async function findingsOf(draft: DraftEntry, around: CheckedSurroundings): Promise<readonly TreadleError[]> {
  const { spec, config, entry, instance } = draft;
  try {
    const conflicts = await spec.check?.(config, around) ?? [];
    return conflicts.map(({ key, problem, hint }) => treadleError('CONFIG_CONFLICT', {
      path: `${entry.path}.config.${key}`, problem, ...(hint === undefined ? {} : { hint }),
    }, { at: placeOf(key, draft), instance }));
  } catch (error) {
    // Such as a faulty variable: it has no place in the file.
    if (error instanceof TreadleError) return [error];
    return [treadleError('INTERNAL', { reason: `${spec.id}: check() threw ${String(error)}` }, { at: entry.classAt, cause: error })];
  }
}
