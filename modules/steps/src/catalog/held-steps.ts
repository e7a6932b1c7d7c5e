import type { LoadedStep, StepFileReport, StepRecord } from '@treadle/api';
import type { DiagnoseInput } from '../diagnostics/diagnose.js';
import { declaredName, fromRecord } from '../diagnostics/declaration-check.js';

/**
 * In development a Step whose new config is faulty goes on with the config that was last good. Returns the reports with
 * those configs put back, or undefined when there is none. A Step that was renamed or whose kinds of triggers changed
 * cannot go on: its worker no longer knows it by the old ones.
 */
export function withHeldSteps(input: DiagnoseInput, enabled: readonly StepRecord[]): DiagnoseInput['reports'] | undefined {
  const fine = new Set(enabled.map(keyOf));
  const former = new Map((input.serving ?? []).filter((step) => !fine.has(keyOf(step))).map((step) => [keyOf(step), step]));
  if (former.size === 0) return undefined;
  return input.reports.map((report) => ({ ...report, steps: report.steps.map((step) => held(report, step, former)) }));
}

function held(report: StepFileReport, step: LoadedStep, former: ReadonlyMap<string, StepRecord>): LoadedStep {
  const record = former.get(keyOf({ file: report.file, id: declaredName(step) }));
  if (!record) return step;
  const config = fromRecord(step.role, record.config);
  return kindsOf(config) === kindsOf(step.config) ? { ...step, config } : step;
}

function kindsOf(config: unknown): string {
  const triggers = (config as { triggers?: unknown }).triggers;
  return Array.isArray(triggers) ? triggers.map((trigger) => (trigger as { type?: unknown } | null)?.type).join() : '?';
}

function keyOf(step: Pick<StepRecord, 'file' | 'id'>): string {
  return `${step.file}\0${step.id}`;
}
