import type { Call, Ctor, ModuleContext, RuntimeAdapter, RuntimeHost, StepFile, StepFileReport, WorkerStatus } from '@treadle/api';
import { InProcessSession, type InProcessSessionOptions } from '@treadle/runtime-node/in-process-session';
import { isNodeStep } from '@treadle/worker/discover';
import type { Step } from 'treadle';
import type { Activity } from './activity.js';

/** What the Steps of a test engine are. */
export interface TestSteps {
  /** True for the files that are to be loaded. */
  readonly chosen: (file: string) => boolean;
  /** Steps by the file that stands for them; they are not read from there. */
  readonly inline: ReadonlyMap<string, Step>;
  /** Where transformed TypeScript is kept, so that the next start is quick. */
  readonly cacheDir: string;
  readonly now: () => number;
}

/** Runs Steps in this process and says what they do. */
class TestSession extends InProcessSession {
  constructor(options: InProcessSessionOptions, private readonly steps: TestSteps, private readonly activity: Activity) {
    super(options);
  }

  override send(call: Call): void {
    const { step, trigger, attempt } = call.request;
    this.activity.begin(call, `Step "${step}" runs (${trigger.type}, attempt ${attempt})`);
    super.send(call);
  }

  protected override ended(...[call, outcome]: Parameters<InProcessSession['ended']>): void {
    super.ended(call, outcome);
    this.activity.end(call);
  }

  protected override read(files: readonly StepFile[]): Promise<readonly StepFileReport[]> {
    const { inline } = this.steps;
    if (inline.size === 0) return super.read(files);
    return this.runner.adopt(files.map(({ file, version }) => ({ file, version, exports: { default: inline.get(file) } })));
  }
}

/** A runtime of one engine for `modules::steps::StepsModule`; loads everything before the engine counts as started. */
export function testRuntime(steps: TestSteps, activity: Activity): Ctor<RuntimeAdapter> {
  return class TestRuntime implements RuntimeAdapter {
    readonly name = 'test';
    readonly loadsOnce = true;
    private context: Pick<ModuleContext, 'log'> | undefined;
    private session: TestSession | undefined;

    async init(context: Pick<ModuleContext, 'log'>): Promise<void> {
      this.context = context;
      return Promise.resolve();
    }

    stop(): Promise<void> {
      this.session?.end();
      return Promise.resolve();
    }

    serves(file: string): boolean {
      return isNodeStep(file) && steps.chosen(file);
    }

    async launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
      if (!this.context) throw new Error('launch() before init()');
      const runner = { root: host.root, mode: host.mode, cacheDir: steps.cacheDir };
      this.session = new TestSession({ host, log: this.context.log, now: steps.now, runner }, steps, activity);
      this.update(files);
      await this.session.loaded;
    }

    update(files: readonly StepFile[]): void {
      this.session?.load(files);
    }

    workers(): readonly WorkerStatus[] {
      if (!this.session) return [];
      return [{ worker: 0, pid: process.pid, state: 'ready', restarts: 0, settled: this.session.settled }];
    }
  };
}
