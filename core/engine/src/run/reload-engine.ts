import { treadleError, type Logger, type TreadleError } from '@treadle/api';
import { planEngine, type Engine, type EnginePlan, type PlanOptions } from '@treadle/kernel';
import type { OutputStream } from '../engine-surroundings.js';
import { printErrors } from '../error-output.js';
import { explainAddressInUse } from './address-in-use.js';
import type { AddressBook } from './address-book.js';
import { logModules } from './start-lines.js';

export interface ReloadOptions {
  readonly engine: Engine;
  /** What runs now. */
  readonly current: EnginePlan;
  readonly planOptions: PlanOptions;
  readonly book: AddressBook;
  readonly log: Logger;
  readonly stderr: OutputStream;
  readonly warn: (warnings: readonly TreadleError[]) => void;
}

/** Reads the configuration again and applies what changed. Returns the plan that runs afterwards. */
export async function reloadEngine(options: ReloadOptions): Promise<EnginePlan> {
  const { current, log, stderr, warn } = options;
  const { plan, errors, warnings } = await planEngine(options.planOptions);
  const problems = plan ? immovable(current, plan) : errors;
  if (!plan || problems.length > 0) {
    printErrors(problems, stderr);
    log.error('configuration refused; the running one stays', { errors: problems.length, first: problems[0]?.message });
    return current;
  }
  warn(warnings);
  return apply(plan, options);
}

async function apply(plan: EnginePlan, { engine, current, book, log, stderr }: ReloadOptions): Promise<EnginePlan> {
  const { started, restarted, reconfigured, reasons, errors, rolledBack, lost } = await engine.reload(plan);
  printErrors(await Promise.all(errors.filter(({ code }) => code !== 'ENGINE_STOPPED').map((error) => explainAddressInUse(error, plan))), stderr);
  if (errors.some(({ code }) => code === 'ENGINE_STOPPED')) return current;
  const running = rolledBack ? current : plan;
  const anew = new Set([...started, ...restarted]);
  for (const [module, settings] of Object.entries(reconfigured)) log.info('settings taken without a restart', { module, settings });
  for (const module of restarted) log.info('restarted for settings that are not taken while it runs, or for what it depends on', { module, because: reasons[module] });
  const { entries } = running;
  logModules(log, entries.filter((entry) => anew.has(entry.instance.id)), (entry) => book.of(entry, entries, engine.addresses));
  const gone = Object.keys(lost);
  if (gone.length > 0) log.error('the new configuration did not start; of the former one these did not come back', { modules: gone.join(', '), first: errors[0]?.message });
  else if (rolledBack) log.error('the new configuration did not start; the former one is back', { first: errors[0]?.message });
  else log.info('reloaded', { ...Object.fromEntries(engine.addresses), reconfigured: Object.keys(reconfigured).length, restarted: anew.size });
  return running;
}

/** What the whole process stands on cannot change under it. */
function immovable(current: EnginePlan, next: EnginePlan): readonly TreadleError[] {
  const changes = [
    ['engine.data_dir', current.dataDir, next.dataDir],
    ['engine.root', current.root, next.root],
    ['engine.mode', current.mode, next.mode],
  ] as const;
  return changes.filter(([, was, is]) => was !== is).map(([path, was, is]) => {
    const origin = next.effective.engine.origins[path.slice('engine.'.length)];
    return treadleError('CONFIG_CONFLICT', {
      path, problem: `cannot change from "${was}" to "${is}" while the engine runs`, hint: 'restart the engine',
    }, { at: origin && 'at' in origin ? origin.at : undefined });
  });
}
