import { treadleError, type ModuleSpec } from '@treadle/api';
import type { DraftEntry } from './draft-entry.js';
import type { Issues } from './issues.js';

/** Two modules that serve the same trigger kind or the same operation would take each other's work. */
export function checkConflicts(drafts: readonly DraftEntry[], issues: Issues): void {
  checkUnique(drafts, issues, 'trigger kind', (spec) => (spec.triggerKinds ?? []).map((kind) => kind.type));
  checkUnique(drafts, issues, 'operation', (spec) => (spec.operations ?? []).map((operation) => operation.name));
}

function checkUnique(
  drafts: readonly DraftEntry[], issues: Issues, what: string, namesOf: (spec: ModuleSpec) => readonly string[],
): void {
  const owners = new Map<string, DraftEntry>();
  for (const draft of drafts) {
    for (const name of namesOf(draft.spec)) {
      const other = owners.get(name);
      owners.set(name, other ?? draft);
      if (!other) continue;
      issues.add(treadleError('CONFIG_CONFLICT', {
        path: draft.entry.path,
        problem: `${what} "${name}" is served by ${draft.instance.id} and by ${other.entry.path} ${other.instance.id}`,
        hint: 'remove one of them or set its "enabled" to false',
      }, { at: draft.entry.classAt, instance: draft.instance }));
    }
  }
}
