import { formatError, type Diagnostic } from '@treadle/api';
import type { PlanResult } from '@treadle/kernel';
import { condense, formatDiagnostic } from '@treadle/module-steps';
import { errorJson, type ErrorJson } from '../failure.js';
import { paintError, type TerminalStream } from '../terminal/paint.js';
import { count } from '../terminal/table.js';
import type { StepsCheck } from './check-application.js';

/** What `check` found. */
export interface CheckReport {
  readonly valid: boolean;
  readonly exitCode: number;
  /** How the configuration is called. */
  readonly config: string;
  readonly counts: PlanResult['counts'];
  readonly errors: readonly ErrorJson[];
  readonly warnings: readonly ErrorJson[];
  /** Absent with `--config-only` and when the configuration has errors. */
  readonly steps?: StepsCheck;
}

export interface CheckOutcome {
  /** How the configuration is called. */
  readonly name: string;
  readonly result: PlanResult;
  readonly steps?: StepsCheck | undefined;
  readonly exitCode: number;
}

/** The report for `--json`. */
export function checkReport({ name, result, steps, exitCode }: CheckOutcome): CheckReport {
  return {
    valid: exitCode === 0, exitCode, config: name, counts: result.counts,
    errors: result.errors.map(errorJson), warnings: result.warnings.map(errorJson), ...(steps ? { steps } : {}),
  };
}

/** The report as text: each finding in the one form of errors, then what is valid, or how much is wrong. */
export function formatCheck({ name, result, steps }: CheckOutcome, stream: TerminalStream): string {
  const findings = [
    ...[...result.errors, ...result.warnings].sort(byLine).map(formatError),
    ...condense(steps?.diagnostics ?? []).map(formatDiagnostic),
  ].map((text) => paintError(text, stream));
  const valid = result.errors.length === 0 ? [configLine(name, result), ...stepsLine(steps)] : [];
  return [...valid, ...findings, ...totals(result, steps)].join('\n');
}

function configLine(name: string, { counts }: PlanResult): string {
  const parts = [count(counts.modules, 'module'), count(counts.adapters, 'adapter'), count(counts.env, 'value')];
  return `${name}: valid. ${parts.join(', ')} from the environment.`;
}

function stepsLine(steps: StepsCheck | undefined): readonly string[] {
  if (steps === undefined || steps.diagnostics.some(({ severity }) => severity === 'error')) return [];
  if (!steps.discover) return ['Steps: not checked, because this configuration runs no Steps.'];
  if (steps.files + steps.streams === 0) return ['no Step files in steps/ and src/.'];
  const further = [count(steps.triggers, 'trigger'), ...(steps.streams > 0 ? [count(steps.streams, 'stream')] : [])].join(', ');
  return [`${count(steps.steps, 'Step')} in ${count(steps.files, 'file')}: valid. ${further}.`];
}

function totals({ errors, warnings }: PlanResult, steps: StepsCheck | undefined): readonly string[] {
  const of = (severity: Diagnostic['severity']): number =>
    steps?.diagnostics.filter((diagnostic) => diagnostic.severity === severity).length ?? 0;
  const wrong = errors.length + of('error');
  const warned = warnings.length + of('warning');
  const parts = [wrong > 0 ? count(wrong, 'error') : '', warned > 0 ? count(warned, 'warning') : ''].filter(Boolean);
  return parts.length > 0 ? [parts.join(', ')] : [];
}

type Finding = PlanResult['errors'][number];

function byLine(a: Finding, b: Finding): number {
  if (a.at?.file !== b.at?.file) return 0;
  return (a.at?.line ?? 0) - (b.at?.line ?? 0) || (a.at?.column ?? 0) - (b.at?.column ?? 0);
}
