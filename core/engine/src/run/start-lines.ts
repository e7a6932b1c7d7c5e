import type { LogFields, Logger, TreadleError } from '@treadle/api';
import { formatLocation } from '@treadle/api';
import type { BootStep, EnginePlan, PlannedAdapter, PlannedEntry } from '@treadle/kernel';

type Addresses = ReadonlyMap<string, string>;

/** One line per module in start order: its address, whether the file named it, which class served an alias. */
export function logModules(log: Logger, entries: readonly PlannedEntry[], addresses: Addresses): void {
  for (const entry of entries) log.info('module started', moduleFields(entry, addresses));
}

/** What a start line says of a module. */
export function moduleFields(entry: PlannedEntry, addresses: Addresses): LogFields {
  const own = addressesOf(entry, addresses);
  const aliases = [entry, ...entry.adapters].flatMap(aliasText);
  return {
    module: entry.instance.id,
    ...(own.length > 0 ? { address: own.join(', ') } : {}),
    ...(entry.adapters.length > 0 ? { adapters: entry.adapters.map((adapter) => adapter.instance.id).join(', ') } : {}),
    ...(entry.implicit ? { implicit: true } : {}),
    ...(aliases.length > 0 ? { alias: aliases.join(', ') } : {}),
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

/** How long each phase of each instance took, at debug level. */
export function logBootTree(log: Logger, steps: readonly BootStep[]): void {
  for (const { instance, path, phase, ms } of steps) {
    log.debug('boot', { instance, path, phase, ms: Math.round(ms * 10) / 10 });
  }
}

/** The fields of a log line that tells a configuration warning. */
export function warningFields(warning: TreadleError): LogFields {
  return {
    code: warning.code, problem: warning.message,
    ...(warning.at ? { at: formatLocation(warning.at) } : {}),
    ...(warning.hint ? { hint: warning.hint } : {}),
  };
}

/** Addresses that a module announced are named after its block: `http`, `http.metrics`. */
function addressesOf(entry: PlannedEntry, addresses: Addresses): string[] {
  const block = entry.instance.classId.split('::')[1] ?? '';
  return [...addresses].filter(([name]) => name === block || name.startsWith(`${block}.`)).map(([, address]) => address);
}

function aliasText({ servedAs, instance }: PlannedEntry | PlannedAdapter): string[] {
  return servedAs === undefined ? [] : [`${servedAs} served by ${instance.classId}`];
}
