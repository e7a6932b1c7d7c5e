import type { GuardFacts, LoadedStep } from '@treadle/protocol';
import type { Declared } from './declared.js';
import { isObject } from './step-exports.js';

/** What guards of `treadle/auth` say of themselves, on their functions. */
const FACTS = Symbol.for('treadle.guard');

/** The guards that a file declares, by the index of a trigger; those of a file of middleware as the first. */
export function guardsOf({ config, middleware }: Declared): Pick<LoadedStep, 'guards'> {
  const triggers = Array.isArray(config['triggers']) ? config['triggers'] as readonly unknown[] : [];
  const guards = middleware ? [guardsAmong(middleware.functions)] : triggers.map((trigger) => (isObject(trigger) ? guardsAmong(trigger['middleware']) : []));
  return guards.some((each) => each.length > 0) ? { guards } : {};
}

function guardsAmong(functions: unknown): readonly GuardFacts[] {
  const list: readonly unknown[] = Array.isArray(functions) ? functions : [functions];
  return list.flatMap((item) => {
    const run = typeof item === 'function' ? item : (item as { run?: unknown } | null | undefined)?.run;
    return (run as { [FACTS]?: GuardFacts } | null | undefined)?.[FACTS] ?? [];
  });
}
