import type { LogFields, Logger, TreadleError } from '@treadle/api';
import { formatLocation } from '@treadle/api';
import type { EnginePlan, PlannedEntry } from '@treadle/kernel';

type Addresses = ReadonlyMap<string, string>;

/** One line per module in start order: its address, its adapters, and whether the file named it. */
export function logModules(log: Logger, entries: readonly PlannedEntry[], addresses: Addresses): void {
  for (const entry of entries) log.info('module started', moduleFields(entry, addresses));
}

/** What a start line says of a module. */
export function moduleFields(entry: PlannedEntry, addresses: Addresses): LogFields {
  const own = addressesOf(entry, addresses);
  return {
    module: entry.instance.id,
    ...(own.length > 0 ? { address: own.join(', ') } : {}),
    ...(entry.adapters.length > 0 ? { adapters: entry.adapters.map((adapter) => adapter.instance.id).join(', ') } : {}),
    ...(entry.implicit ? { implicit: true } : {}),
  };
}

/** What the ready line tells. */
export interface ReadyFacts {
  readonly plan: EnginePlan;
  readonly addresses: Addresses;
  /** Since the start. */
  readonly ms: number;
}

/** The line that says that everything runs, with all addresses and the milliseconds since the start. */
export function logReady(log: Logger, { plan, addresses, ms }: ReadyFacts): void {
  log.info('ready', {
    ms: Math.round(ms), ...Object.fromEntries(addresses), application: plan.application, mode: plan.mode,
    config: plan.configFile ?? 'default configuration',
  });
}

/** The fields of a log line that tells a configuration warning. */
export function warningFields(warning: TreadleError): LogFields {
  return {
    code: warning.code, problem: warning.message,
    ...(warning.at ? { at: formatLocation(warning.at) } : {}),
    ...(warning.hint ? { hint: warning.hint } : {}),
  };
}

/** Addresses that a module announced are named after its block and, with several instances, their names: `http`, `probe.a`. */
function addressesOf({ instance }: PlannedEntry, addresses: Addresses): string[] {
  const block = instance.classId.split('::')[1] ?? '';
  const own = instance.name === undefined ? block : `${block}.${instance.name}`;
  return [...addresses].filter(([name]) => name === own || name.startsWith(`${own}.`)).map(([, address]) => address);
}
