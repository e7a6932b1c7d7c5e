import type { ChildProcess as NodeChild } from 'node:child_process';
import type { Clock, RuntimeHost, Timer, WorkerStatus } from '@treadle/api';
import type { Mark, StepFile } from '@treadle/protocol';
import { FileVerdicts } from './file-verdicts.js';
import { LoadTrial } from './load-trial.js';
import { SpareChild } from './spare-child.js';
import { SupervisedWorker } from './supervised-worker.js';

export interface StepWorkersOptions {
  /** Processes that each serve all files. */
  readonly count: number;
  /** Name of the runtime. */
  readonly runtime: string;
  /** Starts a process. */
  readonly launch: () => NodeChild;
  /** Further members of the first line on its standard input. */
  readonly start: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly host: RuntimeHost;
}

/** What is seen of processes that do not get along with their files. */
const FAILURES = { ended: 'ended while it loaded its files', stalled: 'is held up by one of its files', died: 'ends again soon after it has loaded its files' };
/** How long files must have been loaded, when one of them ends its process later; milliseconds. */
const SETTLE_MS = 1_000;
/** The same for every change: time for an error to come back from this machine, e.g. a connection that is refused. */
const CHANGE_SETTLE_MS = 30;
/** How long a second process serves after a handler has harmed the only one: a little longer than the engine keeps its Step apart; milliseconds. */
const RELIEF_MS = 660_000;
/** What its handlers have then to end in: as long as a handler of the queue may take by default; milliseconds. */
const RELIEF_DRAIN_MS = 300_000;

/**
 * The processes of one language. All files are loaded in all of them, quickly and side by side, as long as that goes well. A
 * process that does not survive its files, or is stuck with them, is the reason to try each file in a process that serves
 * nothing; those that are at fault are left out and told, and the others go on without waiting. In development a changed file
 * is tried before the processes that serve get to see it.
 */
export class StepWorkers {
  private readonly workers: SupervisedWorker[];
  /** Beside the only process, while a handler harms that. */
  private relief: SupervisedWorker | undefined;
  private reliefEnd: Timer | undefined;
  /** Former ones whose handlers have not ended. */
  private readonly leaving = new Set<SupervisedWorker>();
  private readonly verdicts = new FileVerdicts();
  /** In development: for the trial of the next change, which somebody waits for. */
  private readonly spare: SpareChild;
  private trial: LoadTrial | undefined;
  /** The trial looks for what a process did not survive or is stuck with; else for what a change would do. */
  private isRescue = false;
  /** A process that ended soon after it had loaded its files was the reason for a trial; once for each set of files. */
  private wasSettled = false;
  /** A process has said which file ends it. */
  private confessed = false;
  private retired = false;

  constructor(private readonly options: StepWorkersOptions) {
    this.spare = new SpareChild(options.launch);
    this.workers = Array.from({ length: options.count }, (_, worker) => this.createWorker(worker));
  }

  get statuses(): readonly WorkerStatus[] {
    // Nobody waits for the relief before the engine is ready.
    return this.workers.map((worker) => (worker === this.relief ? { ...worker.status, settled: true } : worker.status));
  }

  start(files: readonly StepFile[]): void {
    this.verdicts.want(files);
    this.verdicts.acceptAll();
    for (const worker of this.workers) worker.start(this.verdicts.toLoad());
  }

  /** Serves these files from now on. */
  update(files: readonly StepFile[]): void {
    this.verdicts.want(files);
    this.wasSettled = false;
    const isServing = this.workers.some(({ serves }) => serves);
    if (this.options.host.mode === 'production' || !isServing) this.verdicts.acceptAll();
    if (this.trial && this.isRescue) return this.try(this.verdicts.unproven(), true);
    const untried = this.verdicts.untried();
    if (untried.length > 0) return this.try(untried, false);
    this.stopTrial();
    return this.pass();
  }

  async retire(deadlineMs: number): Promise<void> {
    this.retired = true;
    this.reliefEnd?.cancel();
    this.spare.drop();
    const { trial } = this;
    await Promise.all([trial?.end(), ...[...this.workers, ...this.leaving].map((worker) => worker.retire(deadlineMs))]);
  }

  private createWorker(worker: number): SupervisedWorker {
    const { count: _, ...common } = this.options;
    return new SupervisedWorker({
      ...common, worker,
      onLoadFailed: (how) => this.loadFailed(how),
      onOpenFailed: (files, reason) => this.openFailed(files, reason),
      onLoaded: () => this.loaded(),
      onRelief: () => this.relieve(),
      onMark: (mark) => this.marked(mark),
    });
  }

  /** Where there is one process only, another one serves beside it for some minutes. */
  private relieve(): void {
    const { count, clock } = this.options;
    // One that loads files for long is no reason: the other one would do the same.
    if (count > 1 || this.retired || this.workers[0]?.isLoading === true) return;
    this.reliefEnd?.cancel();
    this.reliefEnd = clock.after(RELIEF_MS, () => this.endRelief());
    // While the only process begins anew, that is what everybody waits for.
    if (this.workers[0]?.serves === true) this.startRelief();
  }

  private startRelief(): void {
    const { count } = this.options;
    if (this.relief || !this.reliefEnd || this.retired) return;
    this.relief = this.createWorker(count);
    this.workers.push(this.relief);
    this.relief.start(this.verdicts.toLoad());
  }

  private endRelief(): void {
    this.reliefEnd = undefined;
    const { relief } = this;
    if (!relief) return;
    this.leaving.add(relief);
    void relief.retire(RELIEF_DRAIN_MS).then(() => this.leaving.delete(relief));
    this.workers.pop();
    this.relief = undefined;
    this.options.host.statusChanged();
  }

  private pass(): void {
    for (const worker of this.workers) worker.update(this.verdicts.live(), this.verdicts.toLoad());
  }

  /** True: a trial decides what comes next. */
  private loadFailed(how: 'ended' | 'stalled' | 'died'): boolean {
    const { host, runtime } = this.options;
    if (this.retired || (how === 'died' && this.wasSettled)) return false;
    if (this.trial && this.isRescue) return true;
    if (how !== 'stalled' && this.confessed) {
      this.confessed = false;
      for (const worker of this.workers) worker.resume(this.verdicts.toLoad());
      return true;
    }
    const suspects = how === 'died' ? this.verdicts.accepted() : this.verdicts.unproven();
    if (suspects.length === 0) return false;
    this.wasSettled ||= how === 'died';
    host.output(`a process ${FAILURES[how]}: each is tried in a process of its own`, 'stderr', runtime);
    this.try(suspects, true, how === 'died' ? SETTLE_MS : undefined);
    return true;
  }

  /** What the processes have loaded and lived on with needs no trial. */
  private loaded(): void {
    if (this.trial && !this.isRescue) return;
    this.stopTrial();
    this.verdicts.proveAccepted();
    for (const worker of this.workers) worker.giveUp();
    this.startRelief();
    this.prepareTrial();
  }

  private prepareTrial(): void {
    if (this.options.host.mode === 'development' && !this.retired) this.spare.refill();
  }

  /** Code ends its process by itself: a handler's, or that of a file that was just loaded; the next one does without that. */
  private marked(mark: Mark): void {
    if (!('ends' in mark)) return;
    const { host, runtime } = this.options;
    if (mark.ends.step !== undefined) return host.output(`Step "${mark.ends.step}" ends its process (${mark.ends.by})`, 'stderr', runtime);
    const file = this.verdicts.accepted().find((each) => each.file === mark.ends.file);
    if (!file) return;
    const problem = { kind: 'crash', message: `the file ended its process when it was loaded (${mark.ends.by})` } as const;
    this.confessed = true;
    this.verdicts.judge(file, problem);
    host.refuse([file], problem);
    for (const worker of this.workers) worker.prepare(this.verdicts.toLoad());
  }

  /** Setups that a process did not survive are left out, and Steps that need them are held. True unless none of them is served any more. */
  private openFailed(names: readonly string[], reason: string): boolean {
    const { host } = this.options;
    const files = this.verdicts.accepted().filter(({ file }) => names.includes(file));
    for (const file of files) {
      const beside = names.filter((name) => name !== file.file);
      const problem = {
        kind: 'crash', message: `the setup ended its process while it was opened (${reason})${beside.length > 0 ? `, or ${beside.join(' or ')} did` : ''}`,
      } as const;
      this.verdicts.judge(file, problem);
      host.refuse([file], problem);
    }
    for (const worker of this.workers) worker.prepare(this.verdicts.toLoad());
    return files.length > 0 && !this.retired;
  }

  private try(files: readonly StepFile[], isRescue: boolean, settleMs = CHANGE_SETTLE_MS): void {
    this.stopTrial();
    this.isRescue = isRescue;
    const { start, clock, host } = this.options;
    const launch = (): NodeChild => this.spare.take();
    let found = false;
    let waits = false;
    const trial: LoadTrial = this.trial = new LoadTrial({
      launch, start, clock, host, settleMs,
      onVerdict: (file, problem) => {
        this.verdicts.judge(file, problem);
        if (!problem) return;
        found = true;
        host.refuse([file], problem);
      },
      onQuick: (slow) => {
        for (const file of slow) this.verdicts.postpone(file);
        waits = slow.length > 0;
        this.isRescue = false;
        this.proceed(found || waits);
      },
      onDone: () => {
        this.trial = undefined;
        if (waits) this.pass();
        this.prepareTrial();
      },
    });
    trial.begin(files);
  }

  /** Processes that wait or are stuck begin anew, without the files that are at fault; those that serve take up what is new. */
  private proceed(found: boolean): void {
    for (const worker of this.workers) {
      if (worker.serves) worker.update(this.verdicts.live(), this.verdicts.toLoad());
      else if (found) worker.resume(this.verdicts.toLoad());
      else worker.giveUp();
    }
  }

  private stopTrial(): void {
    void this.trial?.end();
    this.trial = undefined;
  }
}
