import { treadleError, type ClassId, type Requirement, type SourceLocation } from '@treadle/api';
import type { PlannedAdapter } from '../planned.js';
import type { PlanContext } from './context.js';

/** An adapter of which something may be required. */
export interface Required {
  readonly planned: PlannedAdapter;
  readonly classAt: SourceLocation;
  /** Key of the slot in which it stands. */
  readonly key: string;
}

/** What a class asks of the adapters in its slots, against what they can do: CAPABILITY_MISSING. */
export function checkRequirements(context: PlanContext, requirer: ClassId, requirements: readonly Requirement[], adapters: readonly Required[]): void {
  for (const requirement of requirements) {
    for (const { planned, classAt, key } of adapters) {
      if (key !== requirement.slot || isMet(requirement, planned.capabilities)) continue;
      context.issues.add(treadleError('CAPABILITY_MISSING', {
        class: requirer, slot: planned.spec.slot.id, capability: requirement.capability, adapter: planned.spec.id,
      }, { at: classAt, instance: planned.instance }));
    }
  }
}

/** Whether an adapter with these capabilities has what is required. */
export function isMet(requirement: Requirement, capabilities: unknown): boolean {
  const value = (capabilities as Readonly<Record<string, unknown>> | undefined)?.[requirement.capability];
  return requirement.accepts ? requirement.accepts(value) : Boolean(value) && value !== 'none';
}
