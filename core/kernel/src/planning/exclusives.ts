import { treadleError, type SlotUse } from '@treadle/api';
import type { PlanContext } from './context.js';
import type { DraftEntry } from './draft-entry.js';
import type { DraftAdapter } from './slots.js';

/** What only one adapter of a list may have: CONFIG_CONFLICT at the later one. */
export function checkExclusives(context: PlanContext, { spec, adapters }: DraftEntry): void {
  for (const [slot, { exclusive }] of Object.entries(spec.slots ?? {})) {
    if (exclusive) checkList(context, spec.id, adapters.filter(({ planned }) => planned.slot === slot), exclusive);
  }
}

function checkList(context: PlanContext, owner: string, adapters: readonly DraftAdapter[], exclusive: NonNullable<SlotUse['exclusive']>): void {
  const holders = new Map<string, DraftAdapter>();
  for (const adapter of adapters) {
    const names = context.ask(owner, 'exclusive()', adapter.classAt, () => exclusive(adapter.planned.capabilities)) ?? [];
    const taken = names.find((name) => holders.has(name));
    if (taken !== undefined) report(context, taken, adapter, holders.get(taken) as DraftAdapter);
    for (const name of names) holders.set(name, holders.get(name) ?? adapter);
  }
}

function report({ issues }: PlanContext, name: string, { planned, classAt }: DraftAdapter, holder: DraftAdapter): void {
  const { id } = holder.planned.spec;
  issues.add(treadleError('CONFIG_CONFLICT', {
    path: planned.instance.path, problem: `${name} is served by ${id} at ${holder.planned.instance.path} already`, hint: 'remove one of them',
  }, { at: classAt, instance: planned.instance }));
}
