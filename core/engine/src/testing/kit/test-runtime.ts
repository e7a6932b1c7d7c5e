import type { Call, Ctor, ModuleContext, RuntimeAdapter, RuntimeHost, StepFile, StepFileReport, WorkerStatus } from '@treadle/api';
import { InProcessSession, type InProcessSessionOptions } from '@treadle/runtime-node/in-process-session';
import { isNodeStep } from '@treadle/worker/discover';
import type { Activity } from './activity.js';
import type { ChosenSteps } from './step-selection.js';
import type { TestEngineOptions } from './test-engine-options.js';
import type { TestLanguage, TestSurroundings } from './test-language.js';

/** Runs Steps in this process and says what they do. */
class TestSession extends InProcessSession {
  constructor(options: InProcessSessionOptions, private readonly steps: ChosenSteps, private readonly activity: Activity) {
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

/** TypeScript and JavaScript, in the test's own process. */
export function nodeLanguage({ setups, env }: Pick<TestEngineOptions, 'setups' | 'env'>): TestLanguage {
  return { isStep: isNodeStep, runtime: (around) => testRuntime(around, { given: setups, variables: env }), onNotServed: warn };
}

type Replaced = Pick<InProcessSessionOptions['runner'], 'given' | 'variables'>;

/** A runtime of one engine for `modules::steps::StepsModule`. */
function testRuntime({ chosen, cacheDir, time, activity }: TestSurroundings, more: Replaced): Ctor<RuntimeAdapter> {
  return class TestRuntime implements RuntimeAdapter {
    readonly name = 'test';
    readonly loadsOnce = true;
    private context: Pick<ModuleContext, 'log'> | undefined;
    private session: TestSession | undefined;

    async init(context: Pick<ModuleContext, 'log'>): Promise<void> {
      this.context = context;
      return Promise.resolve();
    }

    async stop(): Promise<void> {
      await this.session?.end();
    }

    serves(file: string): boolean {
      return isNodeStep(file) && chosen.chosen(file);
    }

    async launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
      if (!this.context) throw new Error('launch() before init()');
      const runner = { root: host.root, mode: host.mode, cacheDir, ...more };
      this.session = new TestSession({ host, log: this.context.log, now: () => time.now(), runner }, chosen, activity);
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

/** What was warned of in this process: each test may make an engine. */
const warned = new Set<string>();

function warn(root: string, files: readonly string[]): void {
  const place = JSON.stringify([root, files]);
  if (warned.has(place)) return;
  warned.add(place);
  process.emitWarning(
    `createTestEngine runs TypeScript and JavaScript Steps; these are not run: ${files.join(', ')}. Test Python Steps with treadle.testing`,
    { code: 'TREADLE_STEPS_NOT_SERVED', type: 'TreadleWarning' },
  );
}
