import type { Diagnostic, Logger, SessionHandle, StepFile, StepFileReport, StepHub, StepRecord, Unsubscribe } from '@treadle/api';
import { formatLocation } from '@treadle/api';
import { diagnose } from '../diagnostics/diagnose.js';
import { formatDiagnostic } from '../diagnostics/format-diagnostic.js';
import { CatalogSession, nameOf } from './catalog-session.js';
import { withHeldSteps } from './held-steps.js';
import { type DatedReport, ReportSource } from './report-source.js';

/** Source of the files that this engine discovered itself. */
export const LOCAL_SOURCE = 'local';

export interface StepCatalogOptions {
  readonly hub: StepHub;
  readonly log: Logger;
  /** Absolute path of the application. */
  readonly root: string;
  readonly mode: 'development' | 'production';
}

/** Joins what all sessions register into the one catalog, and says who serves what. */
export class StepCatalog {
  private readonly sources = new Map<string, ReportSource>();
  private readonly sessions = new Map<object, CatalogSession>();
  private readonly wanted = new Map<string, string>();
  private readonly listeners = new Set<() => void>();
  private order = 0;
  private closed = false;
  private shown = new Set<string>();
  private found: readonly Diagnostic[] = [];
  private unserved: readonly Diagnostic[] = [];

  constructor(private readonly options: StepCatalogOptions) {}

  /** Sorted by place. */
  get diagnostics(): readonly Diagnostic[] {
    return this.found;
  }

  /** What a session serves; undefined for one that has not registered. */
  session(key: object): CatalogSession | undefined {
    return this.sessions.get(key);
  }

  /** Runs after each renewal. */
  onChange(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * The local files that are to be served, and Step files that nobody serves. Steps of files that are gone leave the
   * catalog.
   */
  want(files: readonly StepFile[], unserved: readonly StepFile[]): void {
    this.wanted.clear();
    for (const { file, version } of files) this.wanted.set(file, version);
    this.unserved = unserved.map(withoutRuntime);
    this.sources.get(LOCAL_SOURCE)?.retain(new Set(this.wanted.keys()));
    // After a reload the hub still has the Steps of the instance before; they go on until the new workers register.
    if (this.sources.size > 0 || files.length === 0) this.renew();
    else this.found = this.unserved;
  }

  /** A session says (again) what it can run: everything, each time. */
  register(key: object, from: { source: string; handle: SessionHandle }, reports: readonly StepFileReport[]): void {
    const keepsGood = this.options.mode === 'development';
    const session = this.sessions.get(key) ?? new CatalogSession(from.source, from.handle, keepsGood);
    this.sessions.set(key, session);
    session.register(reports);
    const source = this.sources.get(from.source) ?? new ReportSource(keepsGood);
    this.sources.set(from.source, source);
    for (const report of reports) {
      if (from.source === LOCAL_SOURCE && !this.wanted.has(report.file)) continue;
      source.take({ report, order: ++this.order }, this.wanted.get(report.file));
    }
    this.forgetDeserted(from.source);
    this.renew();
  }

  /** A session is gone. Its Steps stay: their routes answer `no_worker` until another one serves them. */
  leave(key: object): void {
    const session = this.sessions.get(key);
    if (!session) return;
    this.sessions.delete(key);
    if (this.forgetDeserted(session.source)) this.renew();
    else this.changed();
  }

  /** From now on nothing is published: after a reload the catalog belongs to the next instance. */
  close(): void {
    this.closed = true;
    this.listeners.clear();
  }

  /** Of a remote application that still has a session, Steps that none of its sessions has any more were removed. */
  private forgetDeserted(source: string): boolean {
    if (source === LOCAL_SOURCE) return false;
    const living = [...this.sessions.values()].filter((session) => session.source === source);
    if (living.length === 0) return false;
    this.sources.get(source)?.retain(new Set(living.flatMap((session) => [...session.files])));
    return true;
  }

  private renew(): void {
    if (this.closed) return;
    const { hub, root, mode } = this.options;
    const input = { reports: this.reports(), kinds: hub.triggerKinds(), root, serving: hub.steps() };
    const { steps, diagnostics } = diagnose(input);
    const held = mode === 'development' ? withHeldSteps(input, steps) : undefined;
    this.publish(held ? diagnose({ ...input, reports: held }).steps : steps);
    this.found = [...this.unserved, ...diagnostics];
    this.say(this.found);
    this.changed();
  }

  private publish(steps: readonly StepRecord[]): void {
    const change = this.options.hub.publish(steps);
    const byName = new Map(steps.map((step) => [step.id, step]));
    for (const session of this.sessions.values()) session.serve(byName);
    const [added, changed, removed] = [change.added.length, change.changed.length, change.removed.length];
    if (added + changed + removed > 0) this.options.log.info('catalog changed', { steps: steps.length, added, changed, removed });
  }

  /** Of a Step that several sources bring under the same name and file, the latest version counts. */
  private reports(): readonly StepFileReport[] {
    const all = [...this.sources.values()].flatMap((source) => source.reports()).sort((a, b) => b.order - a.order);
    const seen = new Set<string>();
    const first = (dated: DatedReport, step: StepFileReport['steps'][number]): boolean => {
      const name = nameOf(step);
      const key = `${dated.report.file}\0${name}\0${dated.order}`;
      const shared = `${dated.report.file}\0${name}`;
      if (name === '' || seen.has(key)) return true; // twice in one file: for the diagnostics to see
      if (seen.has(shared)) return false;
      seen.add(key).add(shared);
      return true;
    };
    return all.map((dated) => ({ ...dated.report, steps: dated.report.steps.filter((step) => first(dated, step)) }));
  }

  /** Logs what is new, and when all is well again. */
  private say(diagnostics: readonly Diagnostic[]): void {
    const before = this.shown;
    this.shown = new Set(diagnostics.map(formatDiagnostic));
    for (const diagnostic of diagnostics) {
      if (before.has(formatDiagnostic(diagnostic))) continue;
      const { severity, code, message, remedy } = diagnostic;
      const level = severity === 'error' ? 'error' : 'warn';
      this.options.log[level]('a Step has a problem', { at: formatLocation(diagnostic), code, problem: message, remedy });
    }
    if (before.size > 0 && this.shown.size === 0) this.options.log.info('all Steps are in order again');
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

function withoutRuntime({ file }: StepFile): Diagnostic {
  const language = file.endsWith('.py') ? 'Python' : 'Node';
  return {
    severity: 'error', code: 'STEP_NO_RUNTIME', file, message: 'no runtime of this config serves this file',
    remedy: `add modules::runtime::adapters::${language} to "runtimes" of modules::steps::StepsModule`,
  };
}
