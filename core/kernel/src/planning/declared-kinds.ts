import type { DeclaredTriggerKind, TriggerIssue, TriggerKindSpec, TriggerNeed, TriggerRecord } from '@treadle/api';
import type { PlannedAdapter } from '../planned.js';
import { notAtomicOf, type PlannedParts, placeOf } from './atomic-support.js';
import { isMet } from './requirements.js';

/** The trigger kinds that the modules of a plan declare. Their checks know what the adapters of the plan lack. */
export function declaredKinds(plan: PlannedParts): readonly DeclaredTriggerKind[] {
  const notAtomic = notAtomicOf(plan);
  return plan.entries.flatMap(({ spec, adapters }) => (spec.triggerKinds ?? []).map((kind) => (
    { ...withNeeds(kind, adapters), owner: spec.id, notAtomic: notAtomic(kind) })));
}

function withNeeds(kind: TriggerKindSpec, adapters: readonly PlannedAdapter[]): TriggerKindSpec {
  const { needs } = kind;
  if (!needs) return kind;
  const validate = (trigger: TriggerRecord): readonly TriggerIssue[] => [
    ...kind.validate?.(trigger) ?? [], ...needs(trigger).flatMap((need) => lacks(need, adapters)),
  ];
  return { ...kind, validate };
}

function lacks(need: TriggerNeed, adapters: readonly PlannedAdapter[]): readonly TriggerIssue[] {
  return adapters.filter(({ slot, capabilities }) => slot === need.slot && !isMet(need, capabilities)).map(({ instance, spec, capabilities }) => {
    const value = JSON.stringify((capabilities as Readonly<Record<string, unknown>> | undefined)?.[need.capability]);
    return {
      key: need.key, code: 'STEP_ADAPTER_LACKS',
      message: `${spec.id} (${placeOf(instance)}) has no ${need.what}, as it is configured (${need.capability}: ${value ?? 'nothing'})`,
      remedy: `${need.instead}, or configure an adapter that has it`,
    };
  });
}
