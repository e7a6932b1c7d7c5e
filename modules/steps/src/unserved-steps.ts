import type { Catalog, Invoker, StepRecord } from '@treadle/api';

/** Names of Steps that a message lists. */
const MAX_NAMED = 10;

/**
 * What health says of Steps that no process serves; undefined when each has one. `except`: those whose process is known to
 * be on its way.
 */
export function unservedSteps(catalog: Catalog, invoker: Invoker, except: (step: StepRecord) => boolean): string | undefined {
  const names = catalog.steps().filter((step) => invoker.servers(step.id) === 0 && !except(step)).map(nameOf).sort();
  if (names.length === 0) return undefined;
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `no process serves ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function nameOf({ id, role, application }: StepRecord): string {
  const kind = role === undefined || role === 'step' ? 'Step ' : '';
  return `${kind}"${id}"${application === undefined ? '' : ` of ${application}`}`;
}
