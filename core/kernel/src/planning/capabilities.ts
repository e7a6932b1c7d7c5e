import { treadleError, type Requirement } from '@treadle/api';
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

function isMet(requirement: Requirement, capabilities: unknown): boolean {
  const value = (capabilities as Readonly<Record<string, unknown>> | undefined)?.[requirement.capability];
  return requirement.accepts ? requirement.accepts(value) : Boolean(value) && value !== 'none';
}
