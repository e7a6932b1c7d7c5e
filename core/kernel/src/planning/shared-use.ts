import { treadleError, type SharedUse, type SourceLocation } from '@treadle/api';
import type { PlanContext } from './context.js';
import type { DraftEntry } from './draft-entry.js';
import type { DraftAdapter } from './slots.js';

/** An adapter, and how it wants a resource. */
interface Use {
  readonly adapter: DraftAdapter;
  readonly use: SharedUse;
}

/** Adapters that share something have to agree about it: CONFIG_CONFLICT that names the places of both. */
export function checkSharedUses(context: PlanContext, drafts: readonly DraftEntry[], dataDir: string): void {
  const first = new Map<string, Use>();
  for (const adapter of drafts.flatMap(({ adapters }) => adapters)) {
    const { spec, config } = adapter.planned;
    for (const use of context.ask(spec.id, 'shares()', adapter.classAt, () => spec.shares?.(config, dataDir)) ?? []) {
      const id = JSON.stringify([use.resource, use.key]);
      const other = first.get(id);
      if (!other) first.set(id, { adapter, use });
      else if (other.use.value !== use.value) report(context, ...blamed({ adapter, use }, other));
    }
  }
}

/** The one that somebody wrote rather than one that goes by its default; else the later one. */
function blamed(later: Use, earlier: Use): readonly [Use, Use] {
  return isWritten(earlier) && !isWritten(later) ? [earlier, later] : [later, earlier];
}

function isWritten({ adapter, use }: Use): boolean {
  return 'at' in (adapter.validated.origins[use.key] ?? {});
}

function report({ issues }: PlanContext, { adapter, use }: Use, other: Use): void {
  const { instance } = adapter.planned;
  const at = placeOf(adapter, use.key);
  issues.add(treadleError('CONFIG_CONFLICT', {
    path: `${instance.path}.config.${use.key}`,
    problem: `"${use.value}" for "${use.resource}", for which ${named(other)} says "${other.use.value}"`,
    hint: use.hint,
  }, { ...(at ? { at } : {}), instance }));
}

/** Position of the other setting, with its line. */
function named({ adapter, use }: Use): string {
  const at = placeOf(adapter, use.key);
  const path = `${adapter.planned.instance.path}.config.${use.key}`;
  return at?.line === undefined ? path : `${path} (${at.file}:${at.line})`;
}

/** Where the key is written, else the adapter. */
function placeOf({ planned, validated }: DraftAdapter, key: string): SourceLocation | undefined {
  const origin = validated.origins[key];
  return (origin && 'at' in origin ? origin.at : undefined) ?? planned.instance.at;
}
