import { isAbsolute, relative, sep } from 'node:path';
import type { DeclaredTriggerKind, Diagnostic, LoadedStep, SourceLocation, StepFileReport, StepRecord } from '@treadle/api';
import type { DiagnoseReport } from './diagnose-report.js';
import { CollisionRule, ownDuplicates } from './collisions.js';
import { checkConfig } from './config-check.js';
import { checkDeclaration } from './declaration-check.js';
import { fileProblem } from './file-problem.js';
import { type Finding, isDisabling, type StepWarning } from './finding.js';
import { findingLine } from './finding-line.js';
import { checkMiddleware, Placement } from './placed-middleware.js';
import { duplicateSetups } from './setup-names.js';
import { stepRecord } from './step-record.js';
import { checkStreams } from './stream-check.js';
import { checkTopics } from './topic-check.js';
import { collidingPart } from './trigger-check.js';

export interface DiagnoseInput {
  /** What workers say of the Step files; one report per file. */
  readonly reports: readonly DiagnoseReport[];
  /** What the loaded modules declare. */
  readonly kinds: readonly DeclaredTriggerKind[];
  /** Absolute path of the application. */
  readonly root: string;
  /** Steps that served until now: of Steps that collide the one among these goes on. */
  readonly serving?: readonly StepRecord[];
  /** Text of a file of the application, so that a finding names the line of its key; undefined when it cannot be had. */
  readonly source?: (file: string) => string | undefined;
  /** Some Steps are not known yet, so nothing is said of topics that nobody seems to consume or enqueue, and of streams that nobody seems to declare. */
  readonly partial?: boolean;
}

export interface Diagnosis {
  /** Steps that may serve, sorted by path. */
  readonly steps: readonly StepRecord[];
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Reports with an error. */
  readonly faulty: ReadonlySet<DiagnoseReport>;
  /** Every file is known, so what Steps name and no other file has was looked for. */
  readonly known: boolean;
  /** The report that a Step comes from. */
  readonly reportOf: (step: StepRecord) => DiagnoseReport | undefined;
}

interface Candidate {
  readonly record: StepRecord;
  readonly findings: readonly Finding[];
  /** Of a Step that is disabled: what of it can collide with others. */
  readonly colliding?: StepRecord;
}

/**
 * Finds all that is wrong with the Steps of an application and which of them may serve. Pure: the same for `check`,
 * `build`, `dev` and a running engine.
 */
export function diagnose(input: DiagnoseInput): Diagnosis {
  const notes = new Notes(input.root, input.source);
  const candidates = new Map<StepRecord, DiagnoseReport>();
  const disabled = new Map<StepRecord, DiagnoseReport>();
  const known: StepRecord[] = [];
  const placement = new Placement(input.reports);
  for (const report of input.reports) {
    if (report.problem) notes.problem(report);
    for (const loaded of report.steps) {
      if (loaded.role === 'middleware') {
        notes.ofMiddleware(loaded, report);
        continue;
      }
      if (loaded.role === 'setup' || loaded.role === 'env') continue;
      const { record, findings, colliding } = examine(loaded, report, input.kinds, placement);
      for (const finding of findings) notes.add(finding, record, report);
      known.push(record);
      if (!colliding) candidates.set(record, report);
      else if (!report.superseded) disabled.set(colliding, report);
    }
  }
  for (const { report, finding } of duplicateSetups(input.reports)) notes.add(finding, { file: report.file, line: 1 }, report);
  const isSuperseded = (step: StepRecord): boolean => candidates.get(step)?.superseded === true;
  const { serving, lost } = new CollisionRule(input.kinds, input.serving ?? []).settle([...candidates.keys()], isSuperseded, [...disabled.keys()]);
  const reportOf = (step: StepRecord): DiagnoseReport | undefined => candidates.get(step) ?? disabled.get(step);
  for (const { step, finding } of lost) if (!isSuperseded(step)) notes.add(finding, step, reportOf(step));
  const whole = isWhole(input);
  if (whole) for (const { step, finding } of missingEnds(input, [...serving, ...disabled.keys()], known)) notes.add(finding, step, reportOf(step));
  return { steps: serving, diagnostics: notes.all.sort(byPlace), faulty: notes.faulty, known: whole, reportOf: (step) => candidates.get(step) };
}

/** A file that could not be loaded may well have what others name. */
function isWhole({ reports, partial }: DiagnoseInput): boolean {
  return !partial && !reports.some(({ problem, steps }) => problem !== undefined && steps.length === 0);
}

/** What Steps name and no other file has. */
function missingEnds({ kinds }: DiagnoseInput, serving: readonly StepRecord[], known: readonly StepRecord[]): readonly StepWarning[] {
  const isLoaded = (kind: string): boolean => kinds.some(({ type }) => type === kind);
  return [...(isLoaded('queue') ? checkTopics(serving, known) : []), ...(isLoaded('stream') ? checkStreams(serving, known) : [])];
}

/** What was found so far, and where. */
class Notes {
  readonly all: Diagnostic[] = [];
  readonly faulty = new Set<DiagnoseReport>();

  private readonly texts = new Map<string, string | undefined>();

  constructor(private readonly root: string, private readonly source: DiagnoseInput['source']) {}

  problem(report: DiagnoseReport): void {
    if (report.problem) this.add(fileProblem(report.problem, report.file), problemPlace(report, this.root), report);
  }

  ofMiddleware(loaded: LoadedStep, report: DiagnoseReport): void {
    const place = { file: report.file, ...(loaded.line !== undefined && { line: loaded.line }) };
    for (const finding of checkMiddleware(loaded)) this.add(finding, place, report);
  }

  add(finding: Finding, place: SourceLocation & Partial<Pick<StepRecord, 'id'>>, report: DiagnoseReport | undefined): void {
    this.all.push(located(finding, this.precise(finding, place)));
    if (report && finding.severity !== 'warning') this.faulty.add(report);
  }

  /** A place knows where the config begins; the finding is about one of its keys. */
  private precise<P extends SourceLocation>(finding: Finding, place: P): P {
    const text = this.textOf(place.file);
    return text === undefined || place.column !== undefined ? place : { ...place, line: findingLine(finding, text, place.line) };
  }

  private textOf(file: string): string | undefined {
    if (!this.texts.has(file)) this.texts.set(file, this.source?.(file));
    return this.texts.get(file);
  }
}

const NEVER_STARTED: Finding = {
  code: 'STEP_NEVER_STARTED', severity: 'warning', message: 'config.triggers: the Step has a handler, and nothing starts it',
  remedy: 'add a trigger, or leave the handler out of a Step that is only drawn',
};

/** A Step whose config cannot be read has the empty id. */
function examine(loaded: LoadedStep, report: DiagnoseReport, kinds: readonly DeclaredTriggerKind[], placement: Placement): Candidate {
  const { role, line } = loaded;
  const isStep = role === undefined || role === 'step';
  const { config, findings } = isStep ? checkConfig(loaded.config, kinds) : checkDeclaration(loaded, kinds);
  const record = stepRecord(config ?? { name: '', triggers: [] }, {
    file: report.file, line, role: role === 'stream' || role === 'stream-auth' ? role : undefined, application: report.application, guards: loaded.guards,
  });
  const triggers = record.config.triggers.map((trigger) => collidingPart(trigger, kinds));
  const colliding = { ...record, config: { ...record.config, triggers } };
  const all = [...findings, ...ownDuplicates(colliding, kinds), ...loaded.idle === true ? [NEVER_STARTED] : []];
  if (record.id === '' || all.some(isDisabling)) return { record, findings: all, colliding };
  return { record: placement.of(record), findings: [...all, ...placement.check(record)] };
}

function problemPlace(report: StepFileReport, root: string): SourceLocation {
  // What concerns a file as a whole is said of its first line.
  const { at = report.file, line = 1, column } = report.problem ?? {};
  const file = isAbsolute(at) ? relative(root, at).split(sep).join('/') : at;
  return { file, line, ...(column !== undefined && { column }) };
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
