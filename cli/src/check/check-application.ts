import { EXIT, RuntimeSlot, type DeclaredTriggerKind, type Diagnostic, type RuntimeCapabilities } from '@treadle/api';
import type { EnginePlan, PlanResult } from '@treadle/kernel';
import { diagnose } from '@treadle/module-steps';
import { discoverStepFiles, isNodeStep, type StepFile, type StepFileReport } from '@treadle/worker';
import type { Environment } from '../application/dotenv.js';
import { Progress } from '../terminal/progress.js';
import { probeSteps } from './probe-steps.js';

const STEPS_MODULE = 'modules::steps::StepsModule';

/** What came of the second pass of `check`. */
export interface StepsCheck {
  /** False: the configuration runs no Steps of its own, so none were looked for. */
  readonly discover: boolean;
  readonly files: number;
  readonly steps: number;
  readonly triggers: number;
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Imports the Step files of an application in a process of their own and checks them against its modules. */
export async function checkSteps(plan: EnginePlan, env: Environment): Promise<StepsCheck> {
  if (!discoversSteps(plan)) return { discover: false, files: 0, steps: 0, triggers: 0, diagnostics: [] };
  const files = (await discoverStepFiles(plan.root)).filter(({ file }) => languageOf(file) !== undefined);
  const unserved = files.filter(({ file }) => !languages(plan).has(languageOf(file) ?? ''));
  // Files of other languages are checked by their own runtime.
  const own = files.filter((file) => isNodeStep(file.file) && !unserved.includes(file));
  const reports = await importSteps(plan.root, own, env);
  const { steps, diagnostics } = diagnose({ reports, kinds: declaredKinds(plan), root: plan.root });
  const triggers = steps.reduce((sum, step) => sum + step.config.triggers.length, 0);
  const all = [...diagnostics, ...unserved.map(({ file }) => withoutRuntime(file))].sort(byFile);
  return { discover: true, files: files.length, steps: steps.length, triggers, diagnostics: all };
}

async function importSteps(root: string, files: readonly StepFile[], env: Environment): Promise<readonly StepFileReport[]> {
  if (files.length === 0) return [];
  const progress = process.stderr.isTTY ? new Progress('importing Steps') : undefined;
  const onFile = (file: string, done: number): void => progress?.update(`${done + 1}/${files.length} ${file}`);
  try {
    return await probeSteps({ root, files, env, onFile });
  } finally {
    progress?.clear();
  }
}

function discoversSteps(plan: EnginePlan): boolean {
  const entry = plan.entries.find(({ instance }) => instance.classId === STEPS_MODULE);
  return entry !== undefined && entry.config['discover'] !== false;
}

/** Languages that the configuration's runtimes say they run. */
function languages(plan: EnginePlan): ReadonlySet<string> {
  const runtimes = plan.entries.flatMap((entry) => entry.adapters).filter(({ spec }) => spec.slot.id === RuntimeSlot.id);
  return new Set(runtimes.flatMap(({ capabilities }) => (capabilities as Partial<RuntimeCapabilities>).languages ?? []));
}

/** Undefined for what is no Step, e.g. the declaration of a stream. */
function languageOf(file: string): string | undefined {
  if (file.endsWith('_step.py')) return 'python';
  if (!isNodeStep(file)) return undefined;
  return /\.m?ts$/.test(file) ? 'typescript' : 'javascript';
}

function withoutRuntime(file: string): Diagnostic {
  const runtime = `modules::runtime::adapters::${file.endsWith('.py') ? 'Python' : 'Node'}`;
  return {
    severity: 'error', code: 'STEP_NO_RUNTIME', file, message: 'no runtime of this config serves this file',
    remedy: `add ${runtime} to "runtimes" of ${STEPS_MODULE}`,
  };
}

function byFile(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}

/** The trigger kinds that the modules of a plan declare. */
export function declaredKinds(plan: EnginePlan): readonly DeclaredTriggerKind[] {
  return plan.entries.flatMap((entry) =>
    (entry.spec.triggerKinds ?? []).map((kind) => ({ ...kind, owner: entry.instance.classId })));
}

/** The exit code of a check: 78 for the configuration, 65 for the application; `strict` counts warnings too. */
export function checkExitCode(config: PlanResult, steps: StepsCheck | undefined, strict: boolean): number {
  if (config.errors[0]) return config.errors[0].exitCode;
  if (strict && config.warnings.length > 0) return EXIT.config;
  const faulty = steps?.diagnostics.some(({ severity }) => strict || severity === 'error') ?? false;
  return faulty ? EXIT.application : 0;
}
