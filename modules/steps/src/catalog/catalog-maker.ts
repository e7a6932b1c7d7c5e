import type {
  ApplicationCatalog, CatalogWriter, Clock, Diagnostic, Logger, SessionHandle, StepFile, StepFileReport, StepId, StepRecord, Triggers, Unsubscribe,
} from '@treadle/api';
import { diagnose, type Diagnosis } from '../diagnostics/diagnose.js';
import { sourceText } from '../diagnostics/source-text.js';
import { BuildBook, type BuildId, buildKey } from './build-book.js';
import { CatalogNews } from './catalog-news.js';
import { type CatalogEntry, CatalogSession } from './catalog-session.js';
import { DiagnosticLog } from './diagnostic-log.js';
import { withHeldSteps } from './held-steps.js';
import type { KeptSource } from './kept-catalog.js';
import { type CatalogReport, mergeReports } from './merge-reports.js';
import { isStandIn, type KnownFile, withAuthentication } from './missing-authentication.js';
import { ReportSource } from './report-source.js';

/** Source of the files that this engine discovered itself. */
export const LOCAL_SOURCE = 'local';

export interface CatalogMakerOptions {
  /** Takes what comes of it. */
  readonly catalog: CatalogWriter;
  readonly triggers: Triggers;
  readonly log: Logger;
  readonly clock: Clock;
  /** Absolute path of the application. */
  readonly root: string;
  readonly mode: 'development' | 'production';
  /** What this engine itself runs. */
  readonly build: BuildId;
  /** Whether this engine looks for Step files. */
  readonly discovers: boolean;
}

/** Who registers. */
export interface Registrant {
  readonly source: string;
  readonly handle: SessionHandle;
  /** Of a process that somebody else started. */
  readonly remote?: BuildId & {
    /** It brought all of its build, without a problem. */
    readonly complete: boolean;
    /** It is known by a name that the next process of the application has as well. */
    readonly lasting: boolean;
  };
}

interface Source {
  readonly reports: ReportSource;
  readonly id: BuildId;
  /** Worth keeping for the next start. */
  readonly lasting: boolean;
}

/** Joins what all sessions register into the one catalog, and says who serves what. */
export class CatalogMaker {
  private readonly sources = new Map<string, Source>();
  private readonly sessions = new Map<object, CatalogSession>();
  private readonly wanted = new Map<string, string>();
  private readonly listeners = new Set<() => void>();
  private readonly builds: BuildBook;
  private readonly shown: DiagnosticLog;
  private readonly news: CatalogNews;
  private order = 0;
  /** As they were published last; undefined before the first time. */
  private entries: ReadonlyMap<StepId, CatalogEntry> | undefined;
  private closed = false;
  private frozen = false;
  /** What served before the first reports came in, until every local file was reported: who boots faster does not count. */
  private inherited: readonly StepRecord[] | undefined;
  private found: readonly Diagnostic[] = [];
  private known = false;
  private unserved: readonly Diagnostic[] = [];
  private overlooked: readonly Diagnostic[] = [];
  private faulty: ReadonlySet<string> = new Set();

  constructor(private readonly options: CatalogMakerOptions) {
    this.builds = new BuildBook(options.clock, () => this.renew());
    this.shown = new DiagnosticLog(options.log);
    this.news = new CatalogNews({ log: options.log, kinds: () => options.triggers.kinds(), named: options.mode === 'development' });
    this.inherited = options.catalog.steps();
  }

  /** Sorted by place. */
  get diagnostics(): readonly Diagnostic[] {
    return this.found;
  }

  /** What a session serves; undefined for one that has not registered. */
  session(key: object): CatalogSession | undefined {
    return this.sessions.get(key);
  }

  /** All applications, that of this engine first. */
  applications(): readonly ApplicationCatalog[] {
    const { catalog, build: { application: local } } = this.options;
    const steps = catalog.steps();
    return [...new Set([local, ...this.builds.applications()])].map((application) => ({
      application, steps: steps.filter((step) => (step.application ?? local) === application),
      complete: !this.frozen && this.builds.isComplete(application) && !this.faulty.has(application),
    }));
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
    this.sources.get(LOCAL_SOURCE)?.reports.retain(new Set(this.wanted.keys()));
    // After a reload the catalog still has the Steps of the instance before; they go on until the new workers register.
    if (this.sessions.size > 0 || this.sources.has(LOCAL_SOURCE) || files.length === 0 || this.isFirst) this.renew();
    else this.found = [...this.overlooked, ...this.unserved];
  }

  /** Files and links that look like a part of the application and are none; told once each. */
  overlook(found: readonly Diagnostic[]): void {
    this.found = [...found, ...this.found.filter((diagnostic) => !this.overlooked.includes(diagnostic))];
    this.overlooked = found;
    this.shown.show(this.found, this.known);
  }

  /** Takes up what processes that others start brought in a former run; `want` publishes it. Nobody serves it yet. */
  restore(kept: readonly KeptSource[]): void {
    for (const { source: key, reports, ...id } of kept) {
      const source = { reports: new ReportSource(false), id: { application: id.application, build: id.build }, lasting: true };
      this.sources.set(key, source);
      this.takeReports(key, source, reports);
      const nobody = {};
      this.builds.attach(nobody, source.id, false);
      this.builds.leave(nobody);
    }
  }

  /** Processes that others start have brought something, in this run or a former one. */
  get knowsRemote(): boolean {
    return [...this.sources.keys()].some((key) => key !== LOCAL_SOURCE);
  }

  /** What processes that others start have brought, for the next start. */
  remoteSources(): readonly KeptSource[] {
    const remote = [...this.sources].filter(([key, { lasting, id }]) => key !== LOCAL_SOURCE && lasting && this.builds.has(buildKey(id)));
    return remote.map(([source, { id, reports }]) => ({ source, ...id, reports: reports.reports().map(({ report }) => report) }));
  }

  /** A session says (again) what it can run: everything, each time. */
  register(key: object, from: Registrant, reports: readonly StepFileReport[]): void {
    const { build, mode } = this.options;
    const id = from.remote ?? build;
    const keepsGood = mode === 'development';
    const session = this.sessions.get(key) ?? new CatalogSession({ source: from.source, ...id, build: buildKey(id), keepsGood }, from.handle);
    // One that is about to leave serves nothing any more; what its build consists of has not changed by that.
    const leaves = this.sessions.has(key) && reports.length === 0;
    this.sessions.set(key, session);
    session.register(reports);
    const before = this.buildsOf(id);
    if (from.remote && !leaves) this.builds.attach(key, from.remote, from.remote.complete);
    const source = this.sources.get(from.source) ?? { reports: new ReportSource(keepsGood), id, lasting: from.remote?.lasting === true };
    const alone = [...this.sources.values()].every((other) => other === source || buildKey(other.id) !== buildKey(id));
    this.sources.set(from.source, source);
    const news = this.takeReports(from.source, source, reports);
    const gone = this.forgetDeserted(from.source);
    if (news || gone || !alone || !this.entries || this.buildsOf(id) !== before) this.renew();
    else this.serveAgain(session, this.entries);
  }

  /** Local files that nothing can serve; what a worker says of them later counts. */
  refuse(reports: readonly StepFileReport[]): void {
    const source = this.sources.get(LOCAL_SOURCE) ?? { reports: new ReportSource(this.options.mode === 'development'), id: this.options.build, lasting: false };
    this.sources.set(LOCAL_SOURCE, source);
    this.takeReports(LOCAL_SOURCE, source, reports);
    this.renew();
  }

  /** A session is gone. Its Steps stay: their routes answer `no_worker` until another one serves them. */
  leave(key: object): void {
    const session = this.sessions.get(key);
    if (!session) return;
    this.sessions.delete(key);
    const before = this.builds.keysOf(session.origin.application).length;
    this.builds.leave(key);
    const fewer = this.builds.keysOf(session.origin.application).length < before;
    if (this.forgetDeserted(session.origin.source) || fewer) this.renew();
    else this.changed();
  }

  /** From now on processes leave because the engine lets them go: nothing is gone for good by that. */
  freeze(): void {
    this.frozen = true;
  }

  /** From now on nothing is published: after a reload the catalog belongs to the next instance. */
  close(): void {
    this.closed = true;
    this.builds.close();
    this.listeners.clear();
  }

  /** Nothing was published before: this is no reload. */
  private get isFirst(): boolean {
    return this.inherited?.length === 0 && this.sources.size > 0;
  }

  /** Returns whether they say something new. */
  private takeReports(from: string, source: Source, reports: readonly StepFileReport[]): boolean {
    const isLocal = from === LOCAL_SOURCE;
    const taken = isLocal ? reports.filter(({ file }) => this.wanted.has(file)) : reports;
    return taken.map((report) => source.reports.take({ report, order: ++this.order }, isLocal ? this.wanted.get(report.file) : undefined)).includes(true);
  }

  private buildsOf({ application }: BuildId): string {
    return this.builds.keysOf(application).join();
  }

  /** A process that took the place of another one brings what is known: a thousand Steps need not be judged anew, all in one turn. */
  private serveAgain(session: CatalogSession, entries: ReadonlyMap<StepId, CatalogEntry>): void {
    if (this.closed) return;
    session.serve(entries);
    this.changed();
  }

  /** Of a remote application that still has a session, Steps that none of its sessions has any more were removed. Returns whether there are such. */
  private forgetDeserted(source: string): boolean {
    if (source === LOCAL_SOURCE) return false;
    const files = [...this.sessions.values()].filter(({ origin }) => origin.source === source).flatMap((session) => session.files);
    if (files.length === 0) return false;
    return this.sources.get(source)?.reports.retain(new Set(files)) ?? false;
  }

  private renew(): void {
    if (this.closed) return;
    const { catalog, triggers, root, mode, discovers, build } = this.options;
    if (discovers) this.builds.attach(this, build, this.isLocalComplete());
    const reported = [...this.wanted.keys()].every((file) => this.sources.get(LOCAL_SOURCE)?.reports.knows(file));
    const partial = this.unserved.length > 0 || !reported;
    const serving = (this.inherited ?? catalog.steps()).filter((step) => !isStandIn(step));
    if (reported) this.inherited = undefined;
    const input = { reports: this.reports(), kinds: triggers.kinds(), root, source: sourceText(root), serving, partial };
    const diagnosis = diagnose(input);
    const held = mode === 'development' ? withHeldSteps(input, diagnosis.steps) : undefined;
    this.faulty = new Set([...diagnosis.faulty].map((report) => (report as CatalogReport).application));
    this.publish(held ? diagnose({ ...input, reports: held }) : diagnosis, input.reports);
    this.found = [...this.overlooked, ...this.unserved, ...diagnosis.diagnostics];
    this.known = diagnosis.known;
    this.shown.show(this.found, this.known);
    this.changed();
  }

  private publish({ steps, reportOf }: Diagnosis, reports: readonly CatalogReport[]): void {
    const change = this.options.catalog.publish(withAuthentication(steps, [...reports, ...this.localFiles()]));
    const entries = new Map(steps.map((record) => [record.id, { record, build: (reportOf(record) as CatalogReport).build }]));
    this.entries = entries;
    for (const session of this.sessions.values()) session.serve(entries);
    this.news.tell(change, steps, reports);
  }

  /** Sources whose build was given up are forgotten. */
  private reports(): readonly CatalogReport[] {
    for (const [key, { id }] of this.sources) {
      if (key !== LOCAL_SOURCE && !this.builds.has(buildKey(id))) this.sources.delete(key);
    }
    return mergeReports([...this.sources.values()].flatMap(({ reports, id }) => {
      const build = buildKey(id);
      const rank = this.builds.keysOf(id.application).indexOf(build);
      return reports.reports().map((dated) => ({ ...dated, application: id.application, build, rank: Math.max(0, rank) }));
    }));
  }

  /** Also those that no process has told of yet or ever will. */
  private localFiles(): readonly KnownFile[] {
    const { application } = this.options.build;
    return [...this.wanted.keys(), ...this.unserved.map(({ file }) => file)].map((file) => ({ file, application }));
  }

  /** Every file was found, has a runtime, and was reported as it is now. */
  private isLocalComplete(): boolean {
    const reports = this.sources.get(LOCAL_SOURCE)?.reports;
    return this.unserved.length === 0 && [...this.wanted].every(([file, version]) => reports?.isGood(file, version) ?? false);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

function withoutRuntime({ file }: StepFile): Diagnostic {
  const language = file.endsWith('.py') ? 'Python' : 'Node';
  return {
    severity: 'error', code: 'STEP_NO_RUNTIME', file, line: 1, message: 'no runtime of this config serves this file',
    remedy: `add modules::runtime::adapters::${language} to "runtimes" of modules::steps::StepsModule`,
  };
}
