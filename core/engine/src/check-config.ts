import { formatError } from '@treadle/api';
import { planEngine, type PlanResult } from '@treadle/kernel';
import type { EngineSurroundings } from './engine-surroundings.js';
import { planOptions } from './plan-options.js';

/** What to check and where. */
export interface CheckOptions extends EngineSurroundings {
  /** As written; without it the default configuration is checked. */
  readonly configFile?: string;
}

/** `--check`: stages 1-8, every finding on standard output. Returns 0, or the exit code of the first error. */
export async function checkConfig(options: CheckOptions): Promise<number> {
  const { configFile, stdout } = options;
  const result = await planEngine(planOptions(options));
  stdout.write(configReport(configFile ?? 'default configuration', result));
  return result.errors[0]?.exitCode ?? 0;
}

/** What a check prints: the findings in the order of the file, then one line that sums up. */
function configReport(shownAs: string, result: Pick<PlanResult, 'errors' | 'warnings' | 'counts'>): string {
  const findings = [...result.errors, ...result.warnings].sort(byPlace).map(formatError);
  return [...findings, summary(shownAs, result), ''].join('\n');
}

function summary(shownAs: string, { errors, warnings, counts }: Pick<PlanResult, 'errors' | 'warnings' | 'counts'>): string {
  const warned = warnings.length > 0 ? count(warnings.length, 'warning') : undefined;
  if (errors.length > 0) return [count(errors.length, 'error'), warned].filter(Boolean).join(', ');
  const parts = [count(counts.modules, 'module'), count(counts.adapters, 'adapter')];
  const valid = `${shownAs}: valid. ${parts.join(', ')}, ${count(counts.env, 'value')} from the environment.`;
  return warned ? `${valid} ${warned}.` : valid;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

type Finding = PlanResult['errors'][number];

/** By file, line and column; what has no place comes first. */
function byPlace({ at: a }: Finding, { at: b }: Finding): number {
  return (a?.file ?? '').localeCompare(b?.file ?? '') || (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}
