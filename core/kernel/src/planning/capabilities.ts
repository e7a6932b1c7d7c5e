import { treadleError, type ConfigConflict, type SourceLocation, type TreadleError } from '@treadle/api';
import type { PlanContext } from './context.js';
import type { DraftEntry } from './draft-entry.js';
import { checkRequirements } from './requirements.js';

/** What the module's config asks of its adapters, against what they can do: CAPABILITY_MISSING. */
export function checkCapabilities(context: PlanContext, draft: DraftEntry): void {
  const { spec, config } = draft;
  const requirements = context.ask(spec.id, 'requires()', draft.entry.classAt, () => spec.requires?.(config));
  checkRequirements(context, spec.id, requirements ?? [], draft.adapters.map((adapter) => ({ ...adapter, key: adapter.planned.slot })));
}

/** What the module itself finds contradictory in its config: CONFIG_CONFLICT at the key. */
export function checkConfigConflicts(context: PlanContext, draft: DraftEntry): void {
  const { spec, config, entry } = draft;
  const question = (): readonly ConfigConflict[] => spec.conflicts?.(config) ?? [];
  const conflicts = draft.faulty ? unlessThrown(question) : context.ask(spec.id, 'conflicts()', entry.classAt, question);
  context.issues.add(...conflictErrors(conflicts ?? [], draft));
}

/** Errors at the keys. What is about a setting that is reported already is left out. */
export function conflictErrors(conflicts: readonly ConfigConflict[], draft: DraftEntry): readonly TreadleError[] {
  const { faulty = [], entry, instance } = draft;
  const isSound = (key: string): boolean => !faulty.includes(key.split(/[.[]/, 1)[0] as string);
  return conflicts.filter(({ key, others = [] }) => [key, ...others].every(isSound)).map(({ key, problem, hint }) => treadleError('CONFIG_CONFLICT', {
    path: `${entry.path}.config.${key}`, problem, ...(hint === undefined ? {} : { hint }),
  }, { at: placeOf(key, draft), instance }));
}

/** A faulty config may lack what the question relies on. */
function unlessThrown<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}

/** Where a key is written: the key itself, or the first thing in it; else the entry. */
function placeOf(key: string, { validated, entry }: DraftEntry): SourceLocation {
  const name = Object.keys(validated.origins).find((other) => other === key || other.startsWith(`${key}.`) || other.startsWith(`${key}[`));
  const origin = name === undefined ? undefined : validated.origins[name];
  return (origin && 'at' in origin ? origin.at : undefined) ?? entry.at;
}
