import { isAbsolute, relative, sep } from 'node:path';
import type { DeclaredTriggerKind, Diagnostic, LoadedStep, SourceLocation, StepFileReport, StepRecord } from '@treadle/api';
import { CollisionRule, ownDuplicates } from './collisions.js';
import { checkConfig } from './config-check.js';
import { fileProblem } from './file-problem.js';
import { type Finding, isDisabling } from './finding.js';
import { stepRecord } from './step-record.js';

export interface DiagnoseInput {
  /** What workers say of the Step files; one report per file. */
  readonly reports: readonly StepFileReport[];
  /** What the loaded modules declare. */
  readonly kinds: readonly DeclaredTriggerKind[];
  /** Absolute path of the application. */
  readonly root: string;
  /** Steps that served until now: of Steps that collide the one among these goes on. */
  readonly serving?: readonly StepRecord[];
}

export interface Diagnosis {
  /** Steps that may serve, sorted by path. */
  readonly steps: readonly StepRecord[];
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
}

interface Candidate {
  readonly record: StepRecord;
  readonly findings: readonly Finding[];
}

/**
 * Finds all that is wrong with the Steps of an application and which of them may serve. Pure: the same for `check`,
 * `build`, `dev` and a running engine.
 */
export function diagnose(input: DiagnoseInput): Diagnosis {
  const diagnostics: Diagnostic[] = [];
  const candidates: StepRecord[] = [];
  for (const report of input.reports) {
    if (report.problem) diagnostics.push(located(fileProblem(report.problem), problemPlace(report, input.root)));
    for (const loaded of report.steps) {
      const { record, findings } = examine(loaded, report, input.kinds);
      diagnostics.push(...findings.map((finding) => located(finding, record)));
      if (record.id !== '' && !findings.some(isDisabling)) candidates.push(record);
    }
  }
  const { serving, lost } = new CollisionRule(input.kinds, input.serving ?? []).settle(candidates);
  diagnostics.push(...lost.map(({ step, finding }) => located(finding, step)));
  return { steps: serving, diagnostics: diagnostics.sort(byPlace) };
}

/** A Step whose config cannot be read has the empty id. */
function examine(loaded: LoadedStep, report: StepFileReport, kinds: readonly DeclaredTriggerKind[]): Candidate {
  const { config, findings } = checkConfig(loaded.config, kinds);
  const record = stepRecord(config ?? { name: '', triggers: [] }, report.file, loaded.line);
  if (findings.some(isDisabling)) return { record, findings };
  return { record, findings: [...findings, ...ownDuplicates(record, kinds)] };
}

function problemPlace(report: StepFileReport, root: string): SourceLocation {
  const { at = report.file, line, column } = report.problem ?? {};
  const file = isAbsolute(at) ? relative(root, at).split(sep).join('/') : at;
  return { file, ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
}

function located(finding: Finding, place: SourceLocation & Partial<Pick<StepRecord, 'id'>>): Diagnostic {
  const { code, message, remedy, severity = 'error' } = finding;
  return {
    severity, code, message, remedy, file: place.file,
    ...(place.line !== undefined && { line: place.line }),
    ...(place.column !== undefined && { column: place.column }),
    ...(place.id && { step: place.id }),
  };
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}
