import { formatLocation, type LogFields, type Logger, type TreadleError } from '@treadle/api';
import type { EnginePlan, PlannedEntry } from '@treadle/kernel';

type Addresses = ReadonlyMap<string, string>;

/** One line per module: its addresses, its adapters, and whether the file named it. */
export function logModules(log: Logger, entries: readonly PlannedEntry[], addressesOf: (entry: PlannedEntry) => readonly string[]): void {
  for (const entry of entries) log.info('module started', moduleFields(entry, addressesOf(entry)));
}

/** What a start line says of a module. */
export function moduleFields(entry: PlannedEntry, addresses: readonly string[]): LogFields {
  return {
    module: entry.instance.id,
    ...(addresses.length > 0 ? { address: addresses.join(', ') } : {}),
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

/** The line that says that everything runs and Steps answer, with all addresses and the milliseconds since the start. */
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
