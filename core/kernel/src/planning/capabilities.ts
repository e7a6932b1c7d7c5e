import { treadleError, type Requirement, type SourceLocation } from '@treadle/api';
import type { PlanContext } from './context.js';
import type { DraftEntry } from './entries.js';

/** What the module's config asks of its adapters, against what they can do: CAPABILITY_MISSING. */
export function checkCapabilities(context: PlanContext, draft: DraftEntry): void {
  const { spec, config } = draft;
  const requirements = context.ask(spec.id, 'requires()', draft.entry.classAt, () => spec.requires?.(config));
  for (const requirement of requirements ?? []) {
    for (const { planned, classAt } of draft.adapters) {
      if (planned.slot !== requirement.slot || isMet(requirement, planned.capabilities)) continue;
      context.issues.add(treadleError('CAPABILITY_MISSING', {
        class: spec.id, slot: planned.spec.slot.id, capability: requirement.capability, adapter: planned.spec.id,
      }, { at: classAt, instance: planned.instance }));
    }
  }
}

/** What the module itself finds contradictory in its config: CONFIG_CONFLICT at the key. */
export function checkConfigConflicts(context: PlanContext, draft: DraftEntry): void {
  const { spec, config, entry } = draft;
  const conflicts = context.ask(spec.id, 'conflicts()', entry.classAt, () => spec.conflicts?.(config));
  for (const { key, problem, hint } of conflicts ?? []) {
    const path = `${entry.path}.config.${key}`;
    context.issues.add(treadleError('CONFIG_CONFLICT', { path, problem, ...(hint === undefined ? {} : { hint }) }, {
      at: placeOf(key, draft), instance: draft.instance,
    }));
  }
}

/** Where a key is written: the key itself, or the first thing in it; else the entry. */
export function placeOf(key: string, { validated, entry }: DraftEntry): SourceLocation {
  const name = Object.keys(validated.origins).find((other) => other === key || other.startsWith(`${key}.`) || other.startsWith(`${key}[`));
  const origin = name === undefined ? undefined : validated.origins[name];
  return (origin && 'at' in origin ? origin.at : undefined) ?? entry.at;
}

function isMet(requirement: Requirement, capabilities: unknown): boolean {
  const value = (capabilities as Readonly<Record<string, unknown>> | undefined)?.[requirement.capability];
  return requirement.accepts ? requirement.accepts(value) : Boolean(value) && value !== 'none';
}
